// A way past what comes before a page's own content (WCAG 2.4.1).
(() => {
  const { rule, query, elements, attr, role, name, rendered, visible, spoken, control } = visiteOwn;
  const CONTENT = 60; // characters of text that make a page's own content
  const LINKS = 50; // within the page that are followed
  const BLOCK = /^(navigation|banner|complementary|search)$/;

  // listOfLinks: a list in which links are all there is to read.
  function listOfLinks(list) {
    const items = [...list.children].filter((e) => e.localName === "li");
    const bare = (e) => [...e.childNodes].every((n) => n.nodeType !== Node.TEXT_NODE || !n.data.trim());
    return items.length > 1 && items.every(bare) && items.filter((e) => e.querySelector("a")).length === items.length && !!list.querySelector("a[href]");
  }
  const repeats = (e) => BLOCK.test(role(e)) || ((e.localName === "ul" || e.localName === "ol") && listOfLinks(e));

  // texts are the visible texts in order, each with whether it stands in a block
  // that sites repeat on their pages.
  function texts(blocks) {
    const out = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const around = node.parentElement;
      if (!node.data.trim() || !around || /^(script|style|noscript|template)$/.test(around.localName) || !rendered(around)) continue;
      out.push({ node, length: node.data.trim().length, block: blocks.some((b) => b.contains(node)), foot: !!around.closest("footer,[role=contentinfo]"), link: !!around.closest("a,button") });
    }
    return out;
  }
  const before = (a, b) => !!(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);

  // leadsPast: a link within the page to where the page's own content begins.
  function leadsPast(link, read, targets) {
    const hash = link.hash.slice(1);
    if (!hash || link.href.split("#")[0] !== document.URL.split("#")[0]) return false;
    let id = hash;
    try {
      id = decodeURIComponent(hash);
    } catch { /* as it is */ }
    const target = targets.get(id);
    if (!target) return false;
    const next = read.find((t) => target.contains(t.node) || before(target, t.node));
    return !!next && !next.block;
  }

  rule("bypass-missing", (report) => {
    if (!document.body || document.documentElement.localName !== "html") return;
    const blocks = elements().filter((e) => repeats(e) && e.checkVisibility() && e.textContent.trim());
    if (blocks.length === 0) return;
    const read = texts(blocks);
    const content = read.filter((t) => !t.block && !t.foot && !t.link && before(blocks[0], t.node));
    if (content.reduce((sum, t) => sum + t.length, 0) < CONTENT) return;
    const outside = (e) => !blocks.some((b) => b.contains(e)) && !e.closest("footer,[role=contentinfo]");
    const targets = new Map();
    for (const e of query("[id],a[name]").reverse()) targets.set(attr(e, "id") || attr(e, "name"), e);
    let links = 0;
    for (const e of elements()) {
      const what = role(e);
      if (what === "main" && spoken(e) && visible(e)) return;
      if (what === "heading" && outside(e) && before(blocks[0], e) && spoken(e) && visible(e) && name(e) !== "") return;
      if (e.localName === "a" && attr(e, "href")?.includes("#") && ++links <= LINKS && leadsPast(e, read, targets)) return;
    }
    if (query("iframe,frame").some((e) => visible(e) && e.clientHeight > innerHeight / 2)) return; // the content is elsewhere
    // What controls do, only using them would tell.
    const unsure = elements().some((e) => before(e, content[0].node) && control(e) && spoken(e) && (e.localName !== "a" || e.hasAttribute("onclick") || /^(#|javascript:)?$/i.test(attr(e, "href") || "")) && e.tabIndex >= 0);
    report(null, "", unsure ? "needs_review" : "failed");
  });
})();
