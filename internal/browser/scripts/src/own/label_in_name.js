// A visible label is part of the accessible name (WCAG 2.5.3).
(() => {
  const { rule, attr, elements, visible, spoken, role, name, visibleText, symbolFont } = visiteOwn;
  const ROLES = /^(button|checkbox|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|switch|tab|treeitem)$/;
  const LONG = 15; // words: a teaser rather than a label

  const words = (text) => text.toLowerCase().normalize("NFKC").match(/[\p{L}\p{M}\p{N}]+/gu) || [];
  // What stands in brackets explains the label ("Date (DD.MM.)").
  const withoutBrackets = (text) => text.replace(/\([^()]*\)|\[[^[\]]*\]/g, " ");

  // within: the words of label stand in name, in a row.
  function within(label, full, same = (a, b) => a === b) {
    for (let i = 0; i + label.length <= full.length; i++) if (label.every((word, k) => same(word, full[i + k], k))) return true;
    return false;
  }

  // spelling: "non-standard" and "nonstandard", "Ave." and "Avenue" may be the same to who speaks them.
  function spelledOtherwise(label, full) {
    const joined = (text) => words(text.replace(/(\p{L})[-\u2010\u2011](?=\p{L})/gu, "$1"));
    if (within(joined(label), joined(full))) return true;
    const short = label.toLowerCase().match(/[\p{L}\p{M}\p{N}]+\.?/gu) || [];
    return within(short, words(full), (word, other) => word === other || word.replace(/\.$/, "") === other || (word.endsWith(".") && other.startsWith(word.slice(0, -1))));
  }

  function symbolic(element, text) {
    if ([...text].length === 1 && !/\p{N}/u.test(text)) return true; // X, i, ?
    const carrier = [element, ...element.querySelectorAll("*")].filter((e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()));
    return carrier.some(symbolFont);
  }

  rule("label-in-name", (report) => {
    for (const element of elements()) {
      if (!attr(element, "aria-label")?.trim() && !attr(element, "aria-labelledby")?.trim()) continue;
      if (!ROLES.test(role(element)) || /^(input|select|textarea)$/.test(element.localName)) continue;
      if (!visible(element) || !spoken(element)) continue;
      const text = visibleText(element);
      const label = words(withoutBrackets(text));
      if (label.length === 0 || symbolic(element, text)) continue;
      const full = name(element);
      if (full === "" || within(label, words(full))) continue;
      const unsure = label.length > LONG || spelledOtherwise(text, full);
      report(element, `${label.length} words of label`, unsure ? "needs_review" : "failed");
    }
  });
})();
