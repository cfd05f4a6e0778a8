// Frames of one name show the same (ACT 4b1c6c).
(() => {
  const { rule, query, spoken, elements } = visiteOwn;
  const ADVERTISING = /\b(ad|ads|advert|advertisement|advertising|sponsored|anzeige|werbung|publicidad|anuncio)\b/i;
  const title = (frame) => [frame.getAttribute("aria-label"), frame.getAttribute("title")].map((s) => (s || "").replace(/\s+/g, " ").trim().toLowerCase()).find(Boolean) || "";

  function named(frame) {
    const ids = (frame.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean);
    const text = ids.map((id) => frame.ownerDocument.getElementById(id)?.textContent || "").join(" ").replace(/\s+/g, " ").trim().toLowerCase();
    return text || title(frame);
  }
  // inside is a frame's document where it may be looked into.
  function inside(frame) {
    try {
      return frame.contentDocument;
    } catch {
      return null;
    }
  }
  const text = (doc) => (doc.body ? doc.body.textContent.replace(/\s+/g, " ").trim() : "");
  const address = (frame) => (frame.hasAttribute("srcdoc") || !frame.src ? "" : frame.src.split("#")[0].replace(/\/(index\.\w+)?$/, ""));

  function differ(a, b) {
    const [one, two] = [address(a), address(b)];
    if (!one || !two || one === two) return "";
    const [da, db] = [inside(a), inside(b)];
    if (!da || !db || !da.body || !db.body) return "needs_review"; // of another origin
    if (text(da) === text(db) || da.title.trim() === db.title.trim()) return "";
    return da.title.trim() && db.title.trim() ? "failed" : "needs_review";
  }

  function collect(list, depth) {
    const out = [];
    for (const frame of list) {
      if (frame.localName !== "iframe" && frame.localName !== "frame") continue;
      if (depth === 0 && !spoken(frame)) continue;
      out.push(frame);
      const doc = inside(frame);
      if (doc && depth < 3 && out.length < 50) out.push(...collect(query("iframe", doc), depth + 1));
    }
    return out;
  }

  rule("frame-same-name", (report) => {
    const byName = new Map();
    for (const frame of collect(elements(), 0)) {
      const name = named(frame);
      if (!name) continue;
      const first = byName.get(name);
      if (!first) {
        byName.set(name, frame);
        continue;
      }
      const outcome = differ(first, frame);
      if (outcome) report(frame.ownerDocument === document ? frame : null, "", ADVERTISING.test(name) ? "needs_review" : outcome);
    }
  });
})();
