// Measures how a page is laid out, as rectangles and colours: what a preview is
// drawn from (contract R-23). Nothing in the page is changed or asked for, no text
// is read but to tell whether it is blank, and nothing leaves but numbers.
globalThis.visitePreview = (() => {
  const WIDTH = 2000, HEIGHT = 6000, BOXES = 2000, NODES = 30000, CHARACTERS = 20000, LINES = 400;
  const SURFACE = 0, TEXT = 1, PICTURE = 2, FRAME = 3;
  const GREY = 0x999f;

  // Elements named like a property would stand before it (DOM clobbering).
  const getter = (proto, name) => {
    const { get } = Object.getOwnPropertyDescriptor(proto, name);
    return (object) => get.call(object);
  };
  const firstChild = getter(Node.prototype, "firstChild"), next = getter(Node.prototype, "nextSibling"), kind = getter(Node.prototype, "nodeType");
  const localName = getter(Element.prototype, "localName"), shadow = getter(Element.prototype, "shadowRoot");
  const rootOf = getter(Document.prototype, "documentElement"), bodyOf = getter(Document.prototype, "body");
  const rectOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const has = (element, name) => Element.prototype.hasAttribute.call(element, name);
  const whole = (value) => (Number.isFinite(value) ? Math.round(Math.max(-1e7, Math.min(1e7, value))) : 0);

  const PICTURES = new Set(["img", "picture", "video", "audio", "canvas", "svg", "iframe", "frame", "object", "embed", "math", "meter", "progress"]);
  // What is inside these is what somebody typed, or is not laid out.
  const CLOSED = new Set(["input", "textarea", "select", "option", "script", "style", "template", "noscript", "head"]);
  const FIELDS = new Set(["input", "textarea", "select"]);

  let width = 0, height = 0, boxes = [], until = 0, seen = 0;
  const rects = new Map(); // what is to be seen of an element

  // colour is red, green, blue and opacity of four bits each.
  const known = new Map();
  let pixel = null;
  function colour(text, opacity = 1) {
    let rgba = known.get(text);
    if (!rgba) {
      const plain = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
      if (plain) rgba = [+plain[1], +plain[2], +plain[3], 255 * (plain[4] === undefined ? 1 : +plain[4])];
      else {
        pixel ||= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        pixel.clearRect(0, 0, 1, 1);
        pixel.fillStyle = "#0000";
        pixel.fillStyle = text;
        pixel.fillRect(0, 0, 1, 1);
        rgba = [...pixel.getImageData(0, 0, 1, 1).data];
      }
      if (known.size < 1000) known.set(text, rgba);
    }
    const four = (value) => Math.max(0, Math.min(15, Math.round(value / 17))) || 0;
    return (four(rgba[0]) << 12) | (four(rgba[1]) << 8) | (four(rgba[2]) << 4) | four(rgba[3] * opacity);
  }

  const edges = (r) => ({ left: whole(r.left + scrollX), top: whole(r.top + scrollY), right: whole(r.right + scrollX), bottom: whole(r.bottom + scrollY) });
  function cut(a, b) {
    const r = { left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) };
    return r.right > r.left && r.bottom > r.top ? r : null;
  }

  // paint adds a rectangle; lines of text that follow each other on one line
  // become one, so that words in elements of their own cannot be told apart.
  let line = null;
  function paint(what, r, value, state) {
    if (!r || (value & 15) === 0 || boxes.length >= BOXES) return;
    if (what === TEXT && line && line.layer === state.layer && Math.abs(line.r.top - r.top) <= 3 && Math.abs(line.r.bottom - r.bottom) <= 3 &&
      r.left >= line.r.left && r.left - line.r.right <= (r.bottom - r.top) * 0.6) {
      line.r.right = Math.max(line.r.right, r.right);
      return;
    }
    const box = { what, r, value, layer: state.layer ?? 0 };
    boxes.push(box);
    line = what === TEXT ? { ...box, layer: state.layer, r } : null;
  }

  function background(r, style, state) {
    const image = style.backgroundImage;
    paint(SURFACE, r, colour(style.backgroundColor, state.opacity), state);
    if (image === "none") return;
    if (/url\(|image|fade|element\(|paint\(/.test(image)) paint(PICTURE, r, GREY, state);
    else paint(SURFACE, r, colour(/(?:rgba?|color|oklch|oklab|lab|lch)\([^()]*\)/.exec(image)?.[0] || "transparent", state.opacity), state);
  }

  function border(whole, clip, style, state, field) {
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => {
      const line = style[`border${side}Style`];
      return line === "none" || line === "hidden" ? 0 : Math.min(Math.ceil(parseFloat(style[`border${side}Width`])) || 0, 50);
    });
    const of = (side) => colour(style[`border${side}Color`], state.opacity);
    const r = cut(whole, clip);
    if (!r) return;
    if (sides.every((s) => s > 0)) paint(FRAME, r, of("Top"), state);
    else if (field && sides.every((s) => s === 0)) paint(FRAME, r, GREY, state);
    else {
      const { left, top, right, bottom } = whole;
      if (sides[0]) paint(SURFACE, cut({ left, top, right, bottom: top + sides[0] }, clip), of("Top"), state);
      if (sides[1]) paint(SURFACE, cut({ left: right - sides[1], top, right, bottom }, clip), of("Right"), state);
      if (sides[2]) paint(SURFACE, cut({ left, top: bottom - sides[2], right, bottom }, clip), of("Bottom"), state);
      if (sides[3]) paint(SURFACE, cut({ left, top, right: left + sides[3], bottom }, clip), of("Left"), state);
    }
  }

  function text(node, state) {
    if (!state.shown || !/\S/.test(CharacterData.prototype.substringData.call(node, 0, CHARACTERS))) return;
    const range = new Range();
    range.setStart(node, 0);
    range.setEnd(node, Math.min(node.length, CHARACTERS));
    const lines = range.getClientRects();
    for (let i = 0; i < lines.length && i < LINES; i++) {
      if (lines[i].width >= 1 && lines[i].height >= 1) paint(TEXT, cut(edges(lines[i]), state.clip), state.ink, state);
    }
  }

  // hiddenFromSight: the usual ways of keeping something for screen readers alone.
  const hiddenFromSight = (style) => style.clip.startsWith("rect(") && style.position === "absolute" && (style.clip.match(/-?[\d.]+/g) || []).every((n) => Math.abs(n) <= 1) ||
    /^(inset\((50%|100%)|circle\(0)/.test(style.clipPath);

  // element draws one and tells how its children are to be drawn; null: not at all.
  function element(e, up) {
    const style = getComputedStyle(e);
    const state = { ...up, opacity: up.opacity * (parseFloat(style.opacity) || 0) };
    if (style.display === "none" || state.opacity < 0.05 || hiddenFromSight(style)) return null;
    const name = localName(e), top = e === rootOf(document) || e === bodyOf(document);
    const placed = style.position !== "static";
    if (style.position === "fixed") state.clip = state.held = { left: 0, top: 0, right: width, bottom: height };
    else if (style.position === "absolute") state.clip = state.held;
    if (state.layer === null && placed && style.zIndex !== "auto") state.layer = whole(parseFloat(style.zIndex));
    state.shown = style.visibility === "visible";
    state.ink = colour(style.webkitTextFillColor || style.color, state.opacity);
    if (style.display !== "contents") {
      const own = edges(rectOf(e));
      if (own.top >= height) return null; // and what is in it, most likely
      const r = cut(own, state.clip);
      if (state.shown && r && !top) {
        rects.set(e, r);
        if (PICTURES.has(name) || (name === "input" && e.type === "image")) paint(PICTURE, { ...r }, GREY, state);
        else {
          background({ ...r }, style, state);
          border(own, state.clip, style, state, FIELDS.has(name));
        }
      }
      if (!top && style.display !== "inline" && (style.overflowX !== "visible" || style.overflowY !== "visible")) {
        if (!r) return null;
        state.clip = r;
      }
    }
    if (PICTURES.has(name) || CLOSED.has(name) || style.contentVisibility === "hidden") return null;
    if (placed || style.transform !== "none") state.held = state.clip;
    return state;
  }

  // children are those that are laid out, of the flat tree.
  function children(e) {
    const root = shadow(e), name = localName(e);
    const list = [];
    if (!root && name === "slot") {
      const given = HTMLSlotElement.prototype.assignedNodes?.call(e, { flatten: true });
      if (given?.length > 0) return given;
    }
    const closed = !root && name === "details" && !has(e, "open");
    for (let c = firstChild(root || e); c && list.length < NODES; c = next(c)) {
      if (!closed) list.push(c);
      else if (kind(c) === 1 && localName(c) === "summary") return [c];
    }
    return list;
  }

  function walk(root, state) {
    const waiting = [[root, state]];
    while (waiting.length > 0 && seen++ < NODES && performance.now() < until) {
      const [node, up] = waiting.pop();
      if (kind(node) === 3) text(node, up);
      if (kind(node) !== 1) continue;
      const now = element(node, up);
      if (!now) continue;
      const list = children(node);
      for (let i = list.length - 1; i >= 0; i--) waiting.push([list[i], now]);
    }
  }

  // ground is the colour of the page as a whole.
  function ground() {
    for (const e of [rootOf(document), bodyOf(document)]) {
      const value = e ? colour(getComputedStyle(e).backgroundColor) : 0;
      if ((value & 15) > 0) return value | 15;
    }
    return 0xffff;
  }

  // draw gives the rectangles in the order they are painted; looking takes at most
  // limit ms.
  function draw(limit) {
    until = performance.now() + limit;
    const root = rootOf(document);
    if (!root) return null;
    width = Math.max(1, Math.min(WIDTH, whole(innerWidth)));
    height = Math.max(1, Math.min(HEIGHT, whole(Math.max(rectOf(root).bottom + scrollY, innerHeight))));
    const clip = { left: 0, top: 0, right: width, bottom: height };
    walk(root, { clip, held: clip, layer: null, opacity: 1, shown: true, ink: 0 });
    boxes.sort((a, b) => a.layer - b.layer); // stable
    return { w: width, h: height, g: ground(), b: boxes.map(({ what, r, value }) => [what, r.left, r.top, r.right - r.left, r.bottom - r.top, value]) };
  }

  // find follows a selector; a step into a shadow root is " >>> ", and so is one
  // into a frame, of which the frame itself is the place.
  function find(selector) {
    let from = document, found = null;
    for (const part of selector.split(" >>> ")) {
      const query = from === document ? Document.prototype.querySelector : DocumentFragment.prototype.querySelector;
      found = query.call(from, part);
      const inside = found && shadow(found);
      if (!inside) break;
      from = inside;
    }
    return found?.ownerSVGElement ? Element.prototype.closest.call(found, "svg") : found;
  }

  // places tells where elements were when the page was drawn, null for those that
  // were not to be seen.
  function places(selectors) {
    return selectors.map((selector) => {
      try {
        const r = rects.get(find(selector));
        return r ? [r.left, r.top, r.right - r.left, r.bottom - r.top] : null;
      } catch {
        return null;
      }
    });
  }

  return { draw, places };
})();
