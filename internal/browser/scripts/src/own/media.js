// Recordings of sound whose content nothing on the page tells in words (WCAG 1.2.1).
// Whether words that are there tell it, a person has to say.
(() => {
  const { rule, elements, attr, visible, spoken, name } = visiteOwn;
  const WORDS = 60; // characters of text that may be an alternative
  const AROUND = "nav,header,footer,[role=navigation],[role=banner],[role=contentinfo]";
  const ASIDE = AROUND + ",h1,h2,h3,h4,h5,h6,button,label,script,style,noscript,template";

  const recorded = (e) => e.readyState > 0 && Number.isFinite(e.duration) && e.duration > 0;

  // opens: a control that shows what is not to be seen yet.
  const opens = (e) => (e.localName === "button" || attr(e, "role") === "button") && (attr(e, "aria-expanded") !== null || attr(e, "aria-controls") !== null) && !e.closest(AROUND);

  // wordsBeside: the page has text, or ways to more of it, that may tell what the recording does.
  function wordsBeside(e) {
    if (name(e).length >= WORDS || attr(e, "aria-describedby") || attr(e, "aria-details")) return true;
    let length = 0;
    for (const one of elements()) {
      if (one === e || e.contains(one) || !visible(one) || !spoken(one)) continue; // who cannot hear may see it, or have it read to the fingers
      if (opens(one)) return true;
      if (one.closest(ASIDE)) continue;
      if (/^(details|iframe|frame|object|embed)$/.test(one.localName) || (one.localName === "a" && one.hasAttribute("href"))) return true;
      if (one.localName === "img") length += (attr(one, "alt") || "").length;
      for (const node of one.childNodes) if (node.nodeType === Node.TEXT_NODE) length += node.data.trim().length;
      if (length >= WORDS) return true;
    }
    return false;
  }

  rule("sound-without-words", (report) => {
    for (const e of elements()) {
      if (e.localName !== "audio" || !recorded(e) || !visible(e) || !spoken(e)) continue;
      report(e, `${Math.round(e.duration)} s`, wordsBeside(e) ? "needs_review" : "failed");
    }
  });
})();
