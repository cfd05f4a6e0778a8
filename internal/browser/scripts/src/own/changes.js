// Text that changes by itself and goes on doing so (WCAG 2.2.2). Changes are noted
// from the moment the page came to rest; texts are compared and dropped.
(() => {
  const { hits, query, visible, spoken, elements, control, withTree } = visiteOwn;
  const LONG = 5000; // ms: what ends by then needs no control
  const FIRST = 1200; // ms after the page came to rest in which a clock ticks once
  const NEXT = 2200; // ms in which one change is followed by another
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  const changing = (times) => [...visite.changes().seen].filter(([e, seen]) =>
    seen.times.length >= times && e.isConnected && visible(e) && spoken(e) && !e.closest("input,textarea,select,[contenteditable],[role=timer]"));

  // find tells how long a verdict takes at most, 0 where nothing seems to change.
  const INTERVAL = /\bsetInterval\s*\(/;
  function find() {
    const { since } = visite.changes();
    if (!since) return 0;
    if (changing(1).length > 0) return LONG + NEXT;
    const begins = query("script:not([src])").slice(0, 50).some((s) => s.text.length < 50000 && INTERVAL.test(s.text));
    return begins && performance.now() < since + FIRST ? FIRST + LONG + NEXT : 0;
  }

  // until waits for a moment, or for what it is waited for.
  async function until(moment, seen) {
    while (performance.now() < moment && !seen()) await pause(50);
    return seen();
  }

  async function judge() {
    const { list, report } = hits("content-changes");
    if (!(await until(visite.changes().since + FIRST, () => changing(1).length > 0))) return list;
    const first = Math.min(...changing(1).map(([, seen]) => seen.times[0]));
    if (!(await until(first + NEXT, () => changing(2).length > 0))) return list;
    await until(first + LONG + 600, () => false);
    const still = changing(3).filter(([, { times }]) => {
      const gaps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
      if (times.length < 5 && gaps.at(-1) > 2 * gaps[Math.floor((gaps.length - 1) / 2)]) return false; // a few that have nothing to do with each other
      const every = (times.at(-1) - times[0]) / (times.length - 1);
      return times.at(-1) - times[0] >= LONG - 2 * every && performance.now() - times.at(-1) < 2 * every + 500;
    });
    if (still.length === 0) return list;
    // What a control does, only using it would tell.
    const controls = withTree(() => elements().some((e) => control(e) && visible(e)));
    const outer = ([e]) => !still.some(([other]) => other !== e && e.contains(other));
    for (const [e] of still.filter(outer).slice(0, 5)) report(e, "", controls ? "needs_review" : "failed");
    return list;
  }
  visiteOwn.changes = { find, judge };
})();
