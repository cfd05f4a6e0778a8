// What people see and what assistive technology meets.
(() => {
  const { attr, parent } = visiteOwn;

  // rendered: has a box and is not made invisible.
  function rendered(element) {
    return element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: false });
  }

  // clippedAway: the usual ways of hiding text from sight alone.
  function clippedAway(element) {
    for (let e = element, up = 0; e && up < 8; e = parent(e), up++) {
      const style = getComputedStyle(e);
      const positioned = style.position === "absolute" || style.position === "fixed";
      if (positioned && /^rect\(/.test(style.clip)) {
        const [top, right, bottom, left] = style.clip.match(/-?[\d.]+/g)?.map(Number) || [];
        if (bottom - top <= 1 || right - left <= 1) return true;
      }
      if (/^(inset\((50%|100%)|circle\(0|polygon\(0(px|%)? 0(px|%)?, 0(px|%)? 0)/.test(style.clipPath)) return true;
      if (/hidden|clip/.test(style.overflowX + style.overflowY) && style.display !== "inline") {
        const box = e.getBoundingClientRect();
        if (box.width <= 1 || box.height <= 1) return true;
      }
    }
    return false;
  }

  // offPage: moved to where no scrolling leads.
  function offPage(element) {
    const box = element.getBoundingClientRect();
    return box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
  }

  const visible = (element) => rendered(element) && !clippedAway(element) && !offPage(element);

  // silenced: the markup of this element takes it from assistive technology.
  const silenced = (element) => attr(element, "aria-hidden") === "true" || attr(element, "inert") !== null;
  function spoken(element) {
    if (!element.checkVisibility({ visibilityProperty: true })) return false;
    for (let e = element; e; e = parent(e)) if (silenced(e)) return false;
    return true;
  }

  // name and role want the tree of the accessibility engine, which run() and withTree() set up.
  const name = (element) => axe.commons.text.sanitize(axe.commons.text.accessibleText(element));
  const role = (element) => axe.commons.aria.getRole(element) || "";

  const inline = /^(inline|contents|ruby)/;
  // visibleText is the text people see in an element, with blanks where blocks meet.
  function visibleText(element) {
    let out = "";
    const walk = (node) => {
      if (node.nodeType === Node.TEXT_NODE) {
        const range = document.createRange();
        range.selectNodeContents(node);
        if (range.getClientRects().length > 0) out += node.data;
        return;
      }
      if (node.nodeType !== Node.ELEMENT_NODE || /^(script|style|template|noscript)$/.test(node.localName)) return;
      if (node.localName === "br") {
        out += " ";
        return;
      }
      if (node !== element && !(rendered(node) || getComputedStyle(node).display === "contents")) {
        // What is hidden by visibility still parts the words around it.
        if (node.getClientRects().length > 0) out += " ";
        return;
      }
      if (node !== element && clippedAway(node)) return;
      const block = node !== element && !inline.test(getComputedStyle(node).display);
      if (block) out += " ";
      const nodes = node.shadowRoot ? node.shadowRoot.childNodes : node.localName === "slot" && node.assignedNodes().length ? node.assignedNodes() : node.childNodes;
      for (const child of nodes) walk(child);
      if (block) out += " ";
    };
    walk(element);
    return out.replace(/\s+/g, " ").trim();
  }

  // focusable as a person meets it: natively or by tabindex, not disabled, rendered.
  const NATIVE = "a[href],area[href],button,input:not([type=hidden]),select,textarea,summary,iframe,audio[controls],video[controls],[contenteditable]:not([contenteditable=false])";
  const FOCUSABLE = NATIVE + ",[tabindex]";
  function tabbable(element) {
    if (!element.matches(FOCUSABLE) || element.tabIndex < 0 || element.matches(":disabled")) return false;
    return element.checkVisibility({ visibilityProperty: true }) && !element.closest("[inert]");
  }

  // symbols: the words of this element stand for pictures of a font.
  const ICON_FONT = /icon|awesome|glyph|symbol|material|\bfa\b|dashicons|ionicons|webdings|wingdings/i;
  const ICON_CLASS = /(^|[\s_-])(icons?|symbols?|glyphicons?|fa|mdi|material-icons[\w-]*)([\s_-]|$)/i;
  const symbolFont = (element) => ICON_FONT.test(getComputedStyle(element).fontFamily);
  const symbols = (element) => symbolFont(element) || ICON_CLASS.test(attr(element, "class") || "");

  const CONTROLS = /^(button|link|checkbox|switch|radio|menuitem|menuitemcheckbox|menuitemradio|tab|slider|spinbutton|combobox|listbox|option|textbox|searchbox|treeitem)$/;
  const control = (element) => CONTROLS.test(role(element)) || element.localName === "summary";

  const withTree = (f) => {
    axe.setup(document.documentElement);
    try {
      return f();
    } finally {
      axe.teardown();
    }
  };

  Object.assign(visiteOwn, { rendered, visible, clippedAway, offPage, spoken, silenced, symbolFont, symbols, name, role, visibleText, tabbable, control, withTree });
})();
