// Text that enlarging cuts off (WCAG 1.4.4). The browser side narrows the screen
// to what 200 percent zoom leaves; text that was whole before must be whole then.
(() => {
  const { elements, hits, rendered, clippedAway, attr } = visiteOwn;
  const BOXES = 300;
  const ELEMENTS = 10000; // whose styles are looked at
  let boxes = []; // elements that cut off what does not fit, with the texts that fit

  const cuts = (style) => [/hidden|clip/.test(style.overflowX), /hidden|clip/.test(style.overflowY)];

  function* texts(box) {
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(), n = 0; node && n < 200; node = walker.nextNode()) {
      if (!node.data.trim() || !rendered(node.parentElement) || node.parentElement.closest("[aria-hidden=true]")) continue;
      n++;
      yield node;
    }
  }
  // beyond: how far a text reaches out of its box where the box cuts, in pixels.
  function beyond(box, node) {
    const [x, y] = cuts(getComputedStyle(box));
    const frame = box.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    let most = 0;
    for (const r of range.getClientRects()) {
      if (x) most = Math.max(most, r.right - frame.right, frame.left - r.left);
      // A line's box is taller than its letters.
      if (y) most = Math.max(most, r.bottom - frame.bottom - r.height * 0.25, frame.top - r.top - r.height * 0.25);
    }
    return most;
  }

  function find() {
    boxes = [];
    for (const e of elements().slice(0, ELEMENTS)) {
      if (e === document.documentElement || e === document.body || boxes.length >= BOXES) continue;
      const style = getComputedStyle(e);
      if (!cuts(style).some(Boolean) || style.display === "inline" || !rendered(e) || clippedAway(e) || attr(e, "aria-hidden") === "true") continue;
      const whole = [...texts(e)].filter((node) => beyond(e, node) <= 1);
      if (whole.length > 0) boxes.push({ e, whole });
    }
    return boxes.length;
  }

  // judge is for the narrow screen. A box that is gone there, or small by a
  // design for small screens, is no fault; nor are texts that moved out together
  // with their parent: carousels and drawers.
  function judge() {
    const { list, report } = hits("zoom-clips-text");
    for (const { e, whole } of boxes) {
      if (!rendered(e) || clippedAway(e)) continue;
      const style = getComputedStyle(e);
      const cut = whole.filter((node) => node.isConnected && rendered(node.parentElement) && beyond(e, node) > 2 && shows(e, node));
      if (cut.length > 0) report(e, `${cut.length} texts`, style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none" ? "needs_review" : "failed");
    }
    return list;
  }
  // shows: part of the text is still to be seen.
  function shows(box, node) {
    const frame = box.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].some((r) => r.left < frame.right - 2 && r.right > frame.left + 2 && r.top < frame.bottom - 2 && r.bottom > frame.top + 2);
  }
  visiteOwn.zoom = { find, judge };
})();
