// Runs QualWeb's ACT rules, which stand before this file in the same isolated
// world, by groups, and cleans what they found before anything leaves the page:
// rule ids, element names and places only, no text and no markup.
globalThis.visiteQualweb = (() => {
  const NODES = 200;
  // The rules that are passed on; internal/inspect/accessibility says why the others are not.
  const rule = (n) => "QW-ACT-R" + n;
  const groups = {
    "qualweb-page": [1, 2, 4, 5, 14].map(rule),
    "qualweb-elements": [
      6, 7, 11, 12, 16, 17, 19, 20, 21, 22, 24, 27, 28, 35, 36, 38, 42, 48, 65, 66, 67, 68, 69, 77, 13, // the last one moves the focus
    ].map(rule),
  };

  // Elements are remembered by the names QualWeb gives them. Their markup, which
  // it would copy for each result, is not wanted.
  const named = new Map();
  const proto = Object.getPrototypeOf(window.qwPage.createQWElement(document.documentElement));
  const { getElementSelector } = proto;
  proto.getElementSelector = function () {
    const name = getElementSelector.call(this);
    if (!named.has(name)) named.set(name, this.element);
    return name;
  };
  proto.getElementHtmlCode = () => "";

  // step is an element's place among its siblings, as axe-core writes it.
  function step(element) {
    const name = element.nodeName.toLowerCase();
    const siblings = element.parentNode?.children;
    if (name === "head" || name === "body" || !siblings || siblings.length < 2) return name;
    return `${name}:nth-child(${Array.prototype.indexOf.call(siblings, element) + 1})`;
  }

  // target is the way to an element: one entry a document; a step into a shadow root is " >>> ".
  function target(element) {
    const way = [""];
    for (let node = element; node; ) {
      way[0] = step(node) + (way[0] && (way[0].startsWith(">>> ") ? " " : " > ")) + way[0];
      const parent = node.parentNode;
      if (!parent) break;
      if (parent.nodeType === 1) node = parent;
      else if (parent.nodeType === 11) {
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
      const names = result.elements?.length ? result.elements.map((e) => e.pointer) : [""];
      for (const name of names) {
        const element = named.get(name) || (name === "" ? document.documentElement : null);
        if (!element || seen.has(element)) continue;
        seen.add(element);
        if (nodes.length < NODES) nodes.push({ target: target(element), path: target(element), impact: "" });
      }
    }
    if (seen.size === 0) return null;
    return { id: assertion.code, impact: "", tags: criteria(assertion), act_ids: [assertion.mapping], help: "", count: seen.size, nodes };
  }

  // run judges the document by one group of rules, for at most limit ms. What
  // a rule cut short has found stands; that it did not come to an end is told.
  function run(group, limit) {
    const until = performance.now() + limit;
    const runner = new ACTRulesRunner({ include: groups[group] }, "en").configure({ include: groups[group] });
    const tester = runner.tester;
    const late = new Set();
    tester.executeRule = (code, selector) => {
      const one = tester.assertions.get(code);
      if (!one?.execute) return;
      try {
        const elements = window.qwPage.getElements(selector);
        if (elements.length === 0) one.execute();
        for (const element of elements) {
          if (performance.now() > until) {
            late.add(code);
            break;
          }
          one.execute(element);
        }
      } catch {
        late.add(code);
      }
      tester.report.addAssertionResult(one);
    };
    runner.test({ sourceHtml: "" });
    const out = { violations: [], incomplete: [], ran: [] };
    for (const code of groups[group]) {
      const assertion = tester.assertions.get(code)?.getFinalResults();
      if (!assertion) continue;
      if (!late.has(code)) out.ran.push(code);
      const failed = clean(assertion, "failed"), asked = clean(assertion, "warning");
      if (failed) out.violations.push(failed);
      if (asked) out.incomplete.push(asked);
    }
    return JSON.stringify({ ...out, whole: late.size === 0 });
  }

  return { groups: Object.keys(groups), run };
})();
