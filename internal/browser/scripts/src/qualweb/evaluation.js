// What QualWeb's rules ask of @qualweb/core, which would drive a browser of its
// own: a verdict's words, and a test that keeps the elements it judged
// themselves instead of a copy of their markup.
exports.Verdict = { PASSED: "passed", WARNING: "warning", FAILED: "failed", INAPPLICABLE: "inapplicable" };

exports.Guideline = class {};

exports.Test = class {
  verdict = "inapplicable";
  resultCode = "I1";
  elements = [];

  addElement(element) {
    this.elements.push(element.element);
    return this;
  }
};
