// Stands for what only rules need that are not passed on: the languages of texts
// and the widths of letters, of the contrast rules. A rule that called it after
// all would count as cut short.
module.exports = () => {
  throw new Error("not loaded");
};
