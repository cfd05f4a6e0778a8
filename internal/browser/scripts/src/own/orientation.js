// Content is not turned to hold it in one orientation (WCAG 1.3.4). The browser
// side turns the screen; these functions tell whether that is worth the while,
// and how far what the styles turn is turned.
(() => {
  const { query, attr, path, hits } = visiteOwn;
  let turned = []; // elements that styles for one orientation turn

  function* rulesFor(list, within) {
    for (const rule of list) {
      if (rule instanceof CSSMediaRule) yield* rulesFor(rule.cssRules, within || /orientation/i.test(rule.media.mediaText));
      else if (rule instanceof CSSStyleRule && within) yield rule;
      else if (!(rule instanceof CSSStyleRule) && rule.cssRules) yield* rulesFor(rule.cssRules, within);
    }
  }

  function find() {
    turned = [];
    for (const sheet of document.styleSheets) {
      let list;
      try {
        list = sheet.cssRules;
      } catch {
        continue; // of another origin
      }
      const oriented = /orientation/i.test(sheet.media.mediaText);
      for (const rule of rulesFor(list, oriented)) {
        if (!rule.style.transform && !rule.style.rotate) continue;
        try {
          turned.push(...query(rule.selectorText).slice(0, 20));
        } catch { /* a selector with a pseudo-element */ }
      }
    }
    turned = [...new Set(turned)].slice(0, 50);
    return turned.length;
  }

  function angle(element) {
    const style = getComputedStyle(element);
    let degrees = 0;
    if (style.transform !== "none") {
      const m = new DOMMatrix(style.transform);
      degrees += (Math.atan2(m.b, m.a) * 180) / Math.PI;
    }
    const own = /(-?[\d.]+)deg$/.exec(style.rotate);
    return degrees + (own ? Number(own[1]) : 0);
  }
  const read = () => turned.map((e) => (e.checkVisibility() && e.textContent.trim() ? angle(e) : null));

  function judge(one, other) {
    const { list, report } = hits("orientation-lock");
    turned.forEach((element, i) => {
      if (one[i] === null || other[i] === null) return;
      const by = ((Math.round(one[i] - other[i]) % 360) + 360) % 360;
      if (Math.abs(by - 90) <= 1 || Math.abs(by - 270) <= 1) report(element, "90 degrees");
    });
    return list;
  }

  visiteOwn.orientation = { find, read, judge };
})();
