// Pages whose pictures are all there is, hidden from who cannot see (WCAG 1.1.1,
// ACT e88epe), and pictures of words (WCAG 1.4.5, ACT 0va7u6).
(() => {
  const { rule, elements, attr, visible, spoken, role, name, query } = visiteOwn;
  const FEW = 6; // words: a name or a stand-in ("No image") has fewer
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
  // moves: what turns or pulses stands for what is still to come. Animations without
  // end were taken away before; styles still tell of them.
  const moves = (e) => /^(animate|animateTransform|animateMotion)$/.test(e.localName) || e.getAnimations().length > 0 ||
    getComputedStyle(e).animationName.split(", ").some((one) => one !== "none");
  function shows(e) {
    if (e.localName === "img") return e.complete && e.naturalWidth > 0 && !moves(e);
    if (e.localName === "svg") return !e.ownerSVGElement && e.querySelector("path,polygon,rect,circle,ellipse,image,use,line,polyline") !== null && ![e, ...query("*", e)].some(moves);
    return e.localName === "canvas" && drawn(e);
  }
  // passedOver: nothing tells of the picture, and that is meant so.
  const passedOver = (e) => !spoken(e) || /^(none|presentation)$/.test(role(e)) || (e.localName === "img" ? attr(e, "alt") === "" && name(e) === "" : name(e) === "");
  const OTHER = /^(iframe|frame|object|embed|video|audio|input|select|textarea|button|progress|meter|details)$/;

  // waiting: a script asked for something and did not get it, so what the page
  // would show is not there. We are who did not let some of it through.
  const waiting = () => performance.getEntriesByType("resource").some((one) => /^(fetch|xmlhttprequest)$/.test(one.initiatorType) && (one.responseStatus < 200 || one.responseStatus >= 400));
  // filledIn: scripts may put more here yet, or would for somebody else. A canvas is
  // drawn by a script; one that the page itself holds and that loads nothing is that.
  const LOADS = /\b(fetch|XMLHttpRequest|import|WebSocket|EventSource|Worker|src|setTimeout|setInterval)\b/;
  const loads = (script) => attr(script, "src") !== null || LOADS.test(script.text || "");
  const filledIn = (e) => query("script").some((script) => e.localName !== "canvas" || loads(script));

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
    if (pictures.length === 0 || waiting()) return;
    for (const e of pictures) report(e, "nothing else on the page", filledIn(e) ? "needs_review" : "failed");
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
  // Logotypes may be pictures (1.4.5), and a few words may be one, unless they are
  // all that the page says.
  const hasText = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) && !/^(script|style|noscript|template)$/.test(e.localName);
  const mayBeName = (count) => count < FEW && (query("img,svg,canvas,input[type=image]").length > 1 || query("body *").some(hasText));
  rule("picture-of-text", (report) => {
    for (const e of query("img[src^='data:image/svg' i],input[type=image][src^='data:image/svg' i]")) {
      if (!visible(e) || !spoken(e)) continue;
      const text = writtenIn(attr(e, "src").trim()), full = words(name(e));
      if (text.length < 2 || text.join(" ") !== full.join(" ")) continue;
      report(e, `${text.length} words`, mayBeName(text.length) || full.includes("logo") || e.closest("a,svg,figure") ? "needs_review" : "failed");
    }
  });
})();
