// Checks of our own that need a rendering. Runs in the isolated world the
// accessibility engine is in and borrows its name computation. Each check is
// registered by rule(); what it reports is element, figures and nothing that
// could be text of the page.
globalThis.visiteOwn = (() => {
  const HITS = 200; // a rule
  const ELEMENTS = 30000; // beyond it the checks are not run
  const rules = [];
  const rule = (id, run) => rules.push({ id, run });

  const query = (selector, root = document) =>
    [...(root === document ? Document.prototype.querySelectorAll.call(document, selector) : root.querySelectorAll(selector))];
  const attr = (element, name) => Element.prototype.getAttribute.call(element, name);
  const parent = visiteTree.parent;

  // all are the elements of the document and its open shadow roots, in order.
  let all = [];
  function gather() {
    all = [];
    const walk = (list) => {
      for (const element of list) {
        all.push(element);
        const shadow = visiteTree.shadow(element);
        if (shadow) walk(query("*", shadow));
      }
    };
    walk(query("*"));
  }

  const path = (element) => visite.path(element);

  // Hits of one rule; a detail is figures and words of ours.
  function hits(id) {
    const list = [];
    const report = (element, detail = "", outcome = "failed") => {
      if (list.length < HITS) list.push({ rule: id, outcome, detail: String(detail).slice(0, 120), selector: element ? path(element) : "" });
    };
    return { list, report };
  }

  // run does what can be judged at once, until limit ms have passed. A rule that may
  // take long asks late() on its way, and returns false where it stopped for that:
  // what it has found stands, and that it did not come to an end is told.
  function run(limit) {
    const until = performance.now() + limit;
    const late = () => performance.now() > until;
    const out = { hits: [], ran: [], not_run: [] };
    gather();
    let ready = all.length <= ELEMENTS;
    if (ready) {
      try {
        axe.setup(document.documentElement);
      } catch {
        ready = false;
      }
    }
    for (const one of rules) {
      if (!ready || late()) {
        out.not_run.push(one.id);
        continue;
      }
      const { list, report } = hits(one.id);
      try {
        const whole = one.run(report, late) !== false;
        out.hits.push(...list);
        (whole ? out.ran : out.not_run).push(one.id);
      } catch {
        out.not_run.push(one.id);
      }
    }
    if (ready) axe.teardown();
    return { ...out, plan: ready ? plan(performance.now() + limit) : null };
  }

  // plan tells what there is for the checks that the browser side carries out, as
  // counts; null is what could not be looked at, or not by that time.
  const LISTENING = "[onblur],[onfocus],[onfocusin],[onfocusout],[onkeydown],[onkeypress],[onkeyup],[ondevicemotion],[ondeviceorientation]";
  function plan(until) {
    const { audio, changes, orientation, zoom, focus } = visiteOwn;
    const out = {};
    for (const [name, find] of Object.entries({
      audio: audio.find, changes: changes.find, turned: orientation.find, boxes: zoom.find, hidden: () => focus.hidden().length, stops: focus.order,
      motion: () => (typeof DeviceMotionEvent === "function" ? 1 : 0),
      scripts: () => query("script").length + query(LISTENING).length,
    })) {
      try {
        out[name] = performance.now() > until ? null : find();
      } catch {
        out[name] = null;
      }
    }
    return out;
  }

  return { rule, run, hits, query, attr, parent, path, gather, elements: () => all };
})();
