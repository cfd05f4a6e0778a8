// Shortcuts of one character (WCAG 2.1.4). The browser side presses the keys.
(() => {
  const { elements, hits, control, rendered, role, withTree } = visiteOwn;
  let pressed = [];

  function watch() {
    document.activeElement?.blur?.();
    addEventListener("keydown", (event) => { pressed.push(event); }, true);
  }
  // taken are the keys that the page kept from doing what they do.
  const taken = () => pressed.filter((event) => event.defaultPrevented).map((event) => event.key).join("");

  function judge() {
    const keys = taken();
    const { list, report } = hits("character-key-shortcut");
    if (keys === "") return list;
    // What could switch shortcuts off or change them, only using it would tell.
    const settings = withTree(() => elements().some((e) => control(e) && rendered(e) && !/^(textbox|searchbox)$/.test(role(e))));
    report(null, keys.length > 20 ? `${keys.length} keys` : [...keys].join(" "), settings ? "needs_review" : "failed");
    return list;
  }
  visiteOwn.keys = { watch, judge };
})();
