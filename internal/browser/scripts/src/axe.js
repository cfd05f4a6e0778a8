// Runs axe-core, which stands before this file in the same isolated world, by
// groups of rules, and cleans what it found before anything leaves the page: no
// text, no markup, no attribute value that can carry text.
globalThis.visiteAxe = (() => {
  const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
  const NODES = 200;
  // Values from a closed vocabulary; any other attribute value can carry text.
  const CLOSED = { type: true, role: true };

  const known = new Map();
  const groups = { wcag: [], "best-practice": [], contrast: [] };
  for (const rule of axe.getRules([...LEVELS, "best-practice"])) {
    const has = (tag) => rule.tags.includes(tag);
    // target-size is off by default, but it is the check of WCAG 2.2 AA 2.5.8;
    // frames that were not reached are counted by ourselves.
    if ((!rule.enabled && rule.ruleId !== "target-size") || rule.ruleId === "frame-tested") continue;
    if (rule.ruleId === "label-content-name-mismatch") continue; // our own check of it is right more often
    if (has("experimental") || has("deprecated")) continue;
    known.set(rule.ruleId, rule);
    const wcag = LEVELS.some(has);
    groups[rule.ruleId === "color-contrast" ? "contrast" : wcag ? "wcag" : "best-practice"].push(rule.ruleId);
  }

  // Landmarks are told apart within one document; the engine would count those of
  // frames as the page's own.
  const here = (rule) => rule !== "landmark-unique" || window === window.top;

  // One run for several groups ("wcag+contrast") where the document is small.
  const options = (group, more) => ({
    runOnly: { type: "rule", values: group.split("+").flatMap((one) => groups[one]).filter(here) },
    preload: false, // would fetch style sheets again, and wait up to 10 s for them
    resultTypes: ["violations", "incomplete", "passes"],
    ...more,
  });

  // plain tells whether a selector is free of values that can carry text; ids
  // and classes may stay while they are short.
  const ATTRIBUTE = /\[([-\w]+)[~|^$*]?="([-\w]*)"\]/g;
  function plain(selector) {
    let closed = true;
    const rest = selector.replace(ATTRIBUTE, (all, name) => {
      closed = closed && CLOSED[name] === true;
      return "";
    });
    if (!closed || /["'@]/.test(rest) || /\[[^\]]*=/.test(rest)) return false;
    return rest.split(/[\s>.#:[\]()+~]+/).every((word) => word.length <= 60);
  }

  // One entry a document; inside it a step into a shadow root is " >>> ".
  const join = (part) => (Array.isArray(part) ? part.join(" >>> ") : String(part));
  // What is not plain is replaced by the way from the root, which is element names only.
  function target(node) {
    const way = node.ancestry.map(join);
    return node.selector.map((part, i) => (plain(join(part)) ? join(part) : way[i]));
  }

  const colour = (value) => (/^#[0-9a-f]{3,8}$/i.test(value) ? value : "");
  const figure = (value) => (Number.isFinite(parseFloat(value)) ? parseFloat(value) : 0);
  function contrast(result) {
    const check = [...result.any, ...result.all, ...result.none].find((c) => c.id === "color-contrast");
    const data = check && check.data;
    if (!data) return undefined;
    return {
      ratio: figure(data.contrastRatio),
      expected: figure(data.expectedContrastRatio),
      foreground: colour(data.fgColor),
      background: colour(data.bgColor),
      font_size: /^[\d.]+pt \([\d.]+px\)$/.test(data.fontSize) ? data.fontSize : "",
      reason: /^[a-zA-Z]{1,40}$/.test(data.messageKey) ? data.messageKey : "",
    };
  }

  // decide makes violations of questions about text on gradients where no place of
  // the gradient gives it contrast enough.
  function decide(result) {
    const low = (node) => {
      const data = node.node.element && contrast(node);
      if (data?.reason !== "bgGradient" || data.expected <= 0) return false;
      const most = visiteGradients.highest(node.node.element);
      if (!most || most.ratio >= data.expected - 0.01) return false;
      const check = [...node.any, ...node.all, ...node.none].find((c) => c.id === "color-contrast");
      Object.assign(check.data, { contrastRatio: Math.floor(most.ratio * 100) / 100, fgColor: most.foreground, bgColor: most.background, messageKey: null });
      return true;
    };
    const failed = (result.incomplete || []).filter(low);
    if (failed.length === 0) return;
    for (const node of failed) node.impact ||= "serious";
    result.violations = [...(result.violations || []), ...failed];
    result.incomplete = result.incomplete.filter((node) => !failed.includes(node));
  }

  // enhanced tells of texts with enough contrast for level AA and not for AAA
  // (1.4.6), as measured for AA: one place for all of them, and only where
  // nothing else is wrong with the contrast.
  const ENHANCED = "color-contrast-enhanced";
  function enhanced(result) {
    const rule = axe.getRules().find((r) => r.ruleId === ENHANCED);
    let lowest = null, place = null;
    if (result.violations?.length) return null;
    for (const node of result.passes || []) {
      const data = contrast(node);
      if (!data || data.ratio <= 0 || data.expected <= 0) continue;
      const expected = data.expected <= 3 ? 4.5 : 7;
      if (data.ratio >= expected) continue;
      if (!lowest || data.ratio < lowest.ratio) [lowest, place] = [{ ...data, expected }, node];
    }
    if (!place || !rule) return null;
    const nodes = [{ target: target(place.node), path: place.node.ancestry.map(join), impact: "minor", contrast: lowest }];
    return { id: ENHANCED, impact: "minor", tags: rule.tags, act_ids: rule.actIds || [], help: rule.help, count: 1, nodes };
  }

  function clean(results) {
    const out = { violations: [], incomplete: [], ran: [] };
    const order = ["minor", "moderate", "serious", "critical"];
    for (const result of results) {
      const rule = known.get(result.id);
      if (!rule) continue;
      out.ran.push(result.id);
      if (result.id === "color-contrast") decide(result);
      const more = result.id === "color-contrast" && enhanced(result);
      if (more) out.violations.push(more);
      for (const kind of ["violations", "incomplete"]) {
        const found = result[kind] || [];
        if (found.length === 0) continue;
        const nodes = found.slice(0, NODES).map((n) => ({
          target: target(n.node),
          path: n.node.ancestry.map(join),
          impact: n.impact || "",
          contrast: result.id === "color-contrast" ? contrast(n) : undefined,
        }));
        const worst = Math.max(...found.map((n) => order.indexOf(n.impact)));
        out[kind].push({
          id: result.id, impact: order[worst] || "", tags: rule.tags, act_ids: rule.actIds || [], help: rule.help, count: found.length, nodes,
        });
      }
    }
    return out;
  }

  const report = { reporter: (results, _, done) => done(clean(results)) };

  // run judges a document without frames.
  const run = async (group) => JSON.stringify(await axe.run(document, options(group, { iframes: false, ...report })));

  // frames finds the frames of this document; context is what the parent
  // document said about this one, nothing for the main document.
  let found = [];
  function frames(context) {
    found = axe.utils.getFrameContexts(context || document).map((f) => ({
      element: axe.utils.shadowSelect(f.frameSelector),
      context: f.frameContext,
    }));
    return found.map((f) => {
      const source = f.element && f.element.getAttribute("src");
      return {
        context: JSON.stringify(f.context),
        // A frame with an address that still holds the first, empty document has not been loaded.
        addressed: !!source && !/^\s*(about:|javascript:)/i.test(source) && !f.element.hasAttribute("srcdoc"),
      };
    });
  }
  const element = (i) => found[i].element;
  const empty = () => !document.body || (document.body.childElementCount === 0 && document.body.textContent.trim() === "");

  // partial judges one document of several. Markup is dropped before it travels to finish.
  async function partial(group, context) {
    const result = await axe.runPartial(context || document, options(group, { ancestry: true }));
    return JSON.stringify(result, (key, value) => (key === "source" ? "" : value));
  }
  const finish = async (group, partials) => JSON.stringify(await axe.finishRun(partials, options(group, { ancestry: true, ...report })));

  return { version: axe.version, groups: Object.keys(groups), run, frames, element, empty, partial, finish };
})();
