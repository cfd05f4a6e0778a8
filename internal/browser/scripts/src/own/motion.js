// What moving the device does (WCAG 2.5.4). The browser side tilts it; these
// functions tell whether that changed the page.
(() => {
  const { hits, elements, control, visible, query, withTree, tabbable } = visiteOwn;
  let before = "", changed = 0;
  const observer = new MutationObserver((list) => { changed += list.length; });
  const values = () => query("input,textarea,select,progress,meter").slice(0, 200).map((e) => e.value).join("|") + scrollX + "," + scrollY;

  function begin() {
    before = values();
    changed = 0;
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  }
  // quietly tells whether the page stays as it is while nobody moves anything.
  async function still(ms) {
    await new Promise((done) => setTimeout(done, ms));
    return changed === 0 && values() === before;
  }
  // shake is for pages that listen to acceleration: the browser side has no say there.
  function shake(by) {
    dispatchEvent(new DeviceMotionEvent("devicemotion", {
      acceleration: { x: by, y: by, z: by }, accelerationIncludingGravity: { x: by, y: by, z: by + 9.8 }, rotationRate: { alpha: by * 10, beta: by * 10, gamma: by * 10 }, interval: 16,
    }));
  }
  function judge() {
    observer.disconnect();
    const { list, report } = hits("device-motion");
    if (changed === 0 && values() === before) return list;
    const others = withTree(() => elements().some((e) => (control(e) || tabbable(e)) && visible(e)));
    report(null, "", others ? "needs_review" : "failed");
    return list;
  }
  visiteOwn.motion = { begin, still, shake, judge };
})();
