// Stands behind web-vitals in the isolated world and gathers what it measures.
// Nothing but figures and selectors leaves: element names and places.
globalThis.visiteSpeed = (() => {
  const seen = {};
  let largest = null; // the element of the largest paint, as read() found it
  const note = (metric) => { seen[metric.name] = metric; };
  for (const on of [webVitals.onFCP, webVitals.onLCP, webVitals.onCLS, webVitals.onTTFB]) on(note, { reportAllChanges: true });
  const long = [];
  new PerformanceObserver((list) => { long.push(...list.getEntries()); }).observe({ type: "longtask", buffered: true });

  // waited tells whether a paint is yet to be reported: none was, or a picture is
  // there that is larger than what was.
  function waited() {
    const largest = seen.LCP && seen.LCP.entries.at(-1);
    if (!seen.FCP || !largest) return true;
    return [...Document.prototype.querySelectorAll.call(document, "img")].slice(0, 50).some((image) => {
      if (!image.complete || image.naturalWidth === 0 || image === largest.element) return false;
      const r = image.getBoundingClientRect();
      const wide = Math.min(r.right, innerWidth) - Math.max(r.left, 0), high = Math.min(r.bottom, innerHeight) - Math.max(r.top, 0);
      const area = wide > 0 && high > 0 ? wide * high : 0;
      // Enlarged pictures count with the size they have; those over the whole screen
      // and those of hardly any content (less than 0.05 bits a pixel) do not count.
      const loaded = performance.getEntriesByName(image.currentSrc, "resource").at(-1)?.encodedBodySize;
      if (area >= innerWidth * innerHeight || (loaded && loaded * 8 < area * 0.05)) return false;
      return Math.min(area, image.naturalWidth * image.naturalHeight) > largest.size;
    });
  }

  // place is a selector, empty where it would be too long to be of use.
  function place(node) {
    const path = node instanceof Element && node.isConnected ? visite.path(node, 60) : "";
    return path.length > 1000 ? "" : path;
  }
  const ms = (value) => (Number.isFinite(value) && value > 0 ? Math.round(value * 10) / 10 : 0);

  // blocked sums what scripts of the page blocked after its first paint; tasks in
  // which something of ours ran are not the page's.
  function blocked(from) {
    let total = 0, tasks = 0;
    for (const task of long) {
      const end = task.startTime + task.duration;
      if (end <= from || visite.ours(task.startTime, end)) continue;
      const over = Math.min(task.duration, end - from) - 50;
      if (over > 0) { total += over; tasks++; }
    }
    return { total, tasks };
  }

  // read gives the figures as they are, after a wait of at most limit ms for a
  // paint that is to be reported.
  async function read(limit) {
    const until = performance.now() + limit;
    await visite.frame();
    while (waited() && performance.now() < until) await visite.frame();
    const { FCP, LCP, CLS, TTFB } = seen;
    if (!FCP) return null; // nothing was painted
    const tasks = blocked(FCP.value);
    const out = { ttfb_ms: ms(TTFB?.value), fcp_ms: ms(FCP.value), lcp_ms: ms(LCP?.value), cls: 0, tbt_ms: ms(tasks.total), long_tasks: tasks.tasks, lcp_at: "", cls_at: "" };
    if (LCP) {
      const a = LCP.attribution;
      largest = a.lcpEntry?.element || null;
      out.lcp_at = place(largest);
      out.lcp_parts = { ttfb_ms: ms(a.timeToFirstByte), load_delay_ms: ms(a.resourceLoadDelay), load_ms: ms(a.resourceLoadDuration), render_delay_ms: ms(a.elementRenderDelay) };
    }
    if (CLS) {
      out.cls = Math.round(CLS.value * 1000) / 1000;
      out.cls_at = place(CLS.attribution.largestShiftSource?.node);
    }
    return out;
  }
  return { read, largest: () => largest };
})();
