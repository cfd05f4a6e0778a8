// Looks at how a page that has come to rest is laid out. Runs in the isolated world,
// after page.js and speed.js; figures and selectors leave, no text.
globalThis.visiteLayout = (() => {
  const IMAGES = 500, TEXTS = 5000;
  const query = (selector) => Document.prototype.querySelectorAll.call(document, selector);
  const attr = (element, name) => (Element.prototype.getAttribute.call(element, name) || "").trim().toLowerCase();
  const place = (element) => {
    const path = visite.path(element, 60);
    return path.length > 1000 ? "" : path;
  };

  // A picture is too large where it has more than three times the width and the
  // height it is shown with (screens with doubled pixels use two), many pixels, and,
  // as far as that is known, many bytes. Drawings (SVG) have no pixels.
  const TIMES = 3, PIXELS = 250000, BYTES = 30000;
  function oversized(image) {
    if (!image.complete || image.naturalWidth * image.naturalHeight < PIXELS || !image.checkVisibility({ visibilityProperty: true })) return null;
    const address = image.currentSrc;
    if (/^data:image\/svg|\.svg([?#]|$)/i.test(address)) return null;
    const box = image.getBoundingClientRect();
    if (box.width < 16 || box.height < 16) return null;
    const times = Math.min(image.naturalWidth / box.width, image.naturalHeight / box.height); // what is cropped is needed in one direction
    if (times <= TIMES) return null;
    const bytes = performance.getEntriesByName(address, "resource").at(-1)?.encodedBodySize;
    if (bytes && bytes < BYTES) return null;
    return { times, natural: [image.naturalWidth, image.naturalHeight], shown: [Math.round(box.width), Math.round(box.height)], at: place(image) };
  }
  function pictures(out) {
    let worst = 0;
    for (const image of [...query("img")].slice(0, IMAGES)) {
      out.pictures++;
      const found = oversized(image);
      if (!found) continue;
      out.oversized++;
      if (found.times > worst) {
        worst = found.times;
        Object.assign(out, { oversized_at: found.at, natural: found.natural, shown: found.shown });
      }
    }
  }

  // texts counts characters that are to be seen, and those below 12 pixels.
  function texts(out) {
    const body = Object.getOwnPropertyDescriptor(Document.prototype, "body").get.call(document);
    if (!body) return;
    const walker = Document.prototype.createTreeWalker.call(document, body, NodeFilter.SHOW_TEXT);
    const known = new Map();
    for (let n = 0; n < TEXTS && walker.nextNode(); n++) {
      const length = walker.currentNode.data.replace(/\s+/g, "").length;
      const parent = walker.currentNode.parentElement;
      if (!length || !parent) continue;
      let size = known.get(parent);
      if (size === undefined) {
        size = /^(script|style|noscript|template)$/.test(parent.localName) || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true }) ? 0 : parseFloat(getComputedStyle(parent).fontSize) || 0;
        known.set(parent, size);
      }
      if (!size) continue;
      out.text += length;
      if (size < 12) out.small += length;
    }
  }

  // wider is by how many pixels the page can be scrolled sideways.
  function wider(out) {
    const root = Object.getOwnPropertyDescriptor(Document.prototype, "documentElement").get.call(document);
    const body = Object.getOwnPropertyDescriptor(Document.prototype, "body").get.call(document);
    if (!root || !body) return;
    out.screen = root.clientWidth;
    const held = [root, body].some((e) => /hidden|clip/.test(getComputedStyle(e).overflowX));
    out.beyond = held ? 0 : Math.max(root.scrollWidth - root.clientWidth, 0);
  }

  function read() {
    const out = { pictures: 0, oversized: 0, oversized_at: "", natural: [0, 0], shown: [0, 0], largest_lazy: false, largest_at: "", text: 0, small: 0, screen: 0, beyond: 0 };
    for (const look of [pictures, texts, wider]) look(out);
    const largest = globalThis.visiteSpeed?.largest();
    if (largest?.localName === "img" && largest.isConnected && attr(largest, "loading") === "lazy") Object.assign(out, { largest_lazy: true, largest_at: place(largest) });
    return out;
  }
  return { read };
})();
