// Runs QualWeb's ACT rules, which stand before this file in the same isolated
// world, by groups, and cleans what they found before anything leaves the page:
// rule ids, element names and places only, no text and no markup.
globalThis.visiteQualweb = (() => {
  const NODES = 200;
  const { groups, selectors } = globalThis.visiteQualwebRules;
  const untranslated = { translateAssertion() {}, translateTest: () => "-" };

  // step is an element's place among its siblings, as axe-core writes it.
  function step(element) {
    const name = visiteTree.name(element).toLowerCase(), around = visiteTree.parentNode(element);
    const siblings = around ? visiteTree.children(around) : [];
    if (name === "head" || name === "body" || siblings.length < 2) return name;
    return `${name}:nth-child(${siblings.indexOf(element) + 1})`;
  }

  // target is the way to an element: one entry a document; a step into a shadow root is " >>> ".
  function target(element) {
    const way = [""];
    for (let node = element; node; ) {
      way[0] = step(node) + (way[0] && (way[0].startsWith(">>> ") ? " " : " > ")) + way[0];
      const parent = visiteTree.parentNode(node);
      if (!parent) break;
      const kind = visiteTree.kind(parent);
      if (kind === 1) node = parent;
      else if (kind === 11) {
        way[0] = ">>> " + way[0];
        node = parent.host;
      } else {
        node = parent === document ? null : parent.defaultView?.frameElement;
        if (node) way.unshift("");
      }
    }
    return way;
  }

  const criteria = (rule) => rule.metadata["success-criteria"].map((c) => "wcag" + c.name.replaceAll(".", ""));

  function clean(assertion, verdict) {
    const nodes = [], seen = new Set();
    for (const result of assertion.results) {
      if (result.verdict !== verdict) continue;
      const elements = result.elements.length ? result.elements : [document.documentElement];
      for (const element of elements) {
        if (seen.has(element)) continue;
        seen.add(element);
        if (nodes.length < NODES) nodes.push({ target: target(element), path: target(element), impact: "" });
      }
    }
    if (seen.size === 0) return null;
    return { id: assertion.code, impact: "", tags: criteria(assertion), act_ids: [assertion.mapping], help: "", count: seen.size, nodes };
  }

  const selectorOf = (code) => Object.keys(selectors).find((selector) => selectors[selector].includes(code));

  // judge executes one rule on the elements it is about; false where it was cut short.
  function judge(rule, until) {
    try {
      const elements = window.qwPage.getElements(selectorOf(rule.getCode()));
      if (elements.length === 0) rule.execute();
      for (const element of elements) {
        if (performance.now() > until) return false;
        rule.execute(element);
      }
      return true;
    } catch {
      return false;
    }
  }

  // run judges the document by one group of rules, for at most limit ms. What
  // a rule cut short has found stands; that it did not come to an end is told.
  function run(group, limit) {
    const until = performance.now() + limit;
    const out = { violations: [], incomplete: [], ran: [], whole: true };
    for (const Rule of groups[group]) {
      const rule = new Rule(untranslated);
      if (judge(rule, until)) out.ran.push(rule.getCode());
      else out.whole = false;
      const assertion = rule.getFinalResults();
      const failed = clean(assertion, "failed"), asked = clean(assertion, "warning");
      if (failed) out.violations.push(failed);
      if (asked) out.incomplete.push(asked);
    }
    return JSON.stringify(out);
  }

  return { groups: Object.keys(groups), run };
})();
