// Pages whose pictures are all there is, hidden from who cannot see (WCAG 1.1.1,
// ACT e88epe), and pictures of words (WCAG 1.4.5, ACT 0va7u6).
(() => {
  const { rule, elements, attr, visible, spoken, role, name, query } = visiteOwn;
  const SMALL = 40; // pixels: icons and counting pixels
  const words = (text) => text.toLowerCase().normalize("NFKC").match(/[\p{L}\p{M}\p{N}]+/gu) || [];

  const large = (e) => {
    const box = e.getBoundingClientRect();
    return box.width >= SMALL && box.height >= SMALL;
  };
  // drawn: a canvas shows something. One with pictures of another origin may. It is read
  // from a copy: asked for a context, a canvas that has none could have no other later.
  function drawn(canvas) {
    try {
      const copy = new OffscreenCanvas(Math.min(canvas.width, 500), Math.min(canvas.height, 500)).getContext("2d");
      copy.drawImage(canvas, 0, 0);
      const pixels = copy.getImageData(0, 0, copy.canvas.width, copy.canvas.height).data;
      return pixels.some((value) => value !== 0);
    } catch {
      return false;
    }
  }
  function shows(e) {
    if (e.localName === "img") return e.complete && e.naturalWidth > 0;
    if (e.localName === "svg") return !e.ownerSVGElement && e.querySelector("path,polygon,rect,circle,ellipse,image,use,line,polyline") !== null && e.getAnimations({ subtree: true }).length === 0 && !e.querySelector("animate,animateTransform");
    return e.localName === "canvas" && drawn(e);
  }
  // passedOver: nothing tells of the picture, and that is meant so.
  const passedOver = (e) => !spoken(e) || /^(none|presentation)$/.test(role(e)) || (e.localName === "img" ? attr(e, "alt") === "" && name(e) === "" : name(e) === "");
  const OTHER = /^(iframe|frame|object|embed|video|audio|input|select|textarea|button|progress|meter|details)$/;

  rule("pictures-alone-hidden", (report) => {
    if (!document.body || document.documentElement.localName !== "html") return;
    const pictures = [];
    for (const e of elements()) {
      if (!document.body.contains(e.getRootNode().host || e) || /^(script|style|noscript|template)$/.test(e.localName)) continue;
      if (e.ownerSVGElement && e.localName !== "text") continue;
      if ([...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) && (e.localName !== "title" || e.namespaceURI !== "http://www.w3.org/2000/svg") && e.localName !== "canvas") return;
      if (OTHER.test(e.localName) || (e.localName === "a" && e.hasAttribute("href"))) return;
      if (attr(e, "aria-label")?.trim() && spoken(e)) return;
      if (!/^(img|svg|canvas)$/.test(e.localName) || !visible(e) || !large(e) || !shows(e)) continue;
      if (!passedOver(e)) return;
      pictures.push(e);
      if (pictures.length > 20) return;
    }
    for (const e of pictures) report(e, "nothing else on the page");
  });

  // writtenIn is the text of a drawing that stands in its own address.
  const DRAWING = /^data:image\/svg\+xml([^,]*),/i;
  function writtenIn(address) {
    const [head, parameters] = DRAWING.exec(address) || [];
    if (!head || address.length > 200000) return [];
    try {
      const data = address.slice(head.length);
      const source = /;base64/i.test(parameters) ? atob(data) : decodeURIComponent(data);
      const parsed = new DOMParser().parseFromString(source.trim(), "image/svg+xml");
      return words([...parsed.querySelectorAll("text")].map((e) => e.textContent).join(" "));
    } catch {
      return [];
    }
  }
  rule("picture-of-text", (report) => {
    for (const e of query("img[src^='data:image/svg' i],input[type=image][src^='data:image/svg' i]")) {
      if (!visible(e) || !spoken(e)) continue;
      const text = writtenIn(attr(e, "src").trim()), full = words(name(e));
      if (text.length < 2 || text.join(" ") !== full.join(" ")) continue;
      report(e, `${text.length} words`, full.includes("logo") || e.closest("a,svg,figure") ? "needs_review" : "failed");
    }
  });
})();
