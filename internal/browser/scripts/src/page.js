// Runs in an isolated world of every frame, from the start of each document: the
// page neither sees it nor can change the built-ins it uses. Document's getters
// are taken from the prototype because elements named like them would stand
// before them (DOM clobbering).
globalThis.visite = (() => {
  const get = (name) => Object.getOwnPropertyDescriptor(Document.prototype, name).get.call(document);
  const all = () => Document.prototype.getElementsByTagName.call(document, "*");
  const query = (selector) => Document.prototype.querySelectorAll.call(document, selector);
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  // A frame that is not shown gets no animation frames: never wait for one alone.
  const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(() => setTimeout(done))), pause(60)]);

  // state tells what there is to wait for.
  function state() {
    const root = get("documentElement");
    const timing = performance.getEntriesByType("navigation")[0];
    return {
      url: get("URL"),
      ready: get("readyState"),
      elements: all().length,
      scripts: get("scripts").length > 0,
      lazy: query("img[loading=lazy],iframe[loading=lazy]").length > 0,
      tall: !!root && root.scrollHeight > innerHeight + 1,
      loadMS: timing ? timing.loadEventStart : 0,
      redirect: left.redirect,
      forms: left.forms,
    };
  }

  // The page's main document does not leave by itself. Refused here, before it
  // begins, a navigation does not end the parsing of the document that is there;
  // what these events do not tell of is refused at the request.
  const left = { redirect: "", forms: 0 };
  const attribute = (form, name) => Element.prototype.getAttribute.call(form, name) || "";
  function refuseForm(form) {
    if (/^\s*post\s*$/i.test(attribute(form, "method"))) {
      left.forms++;
      return;
    }
    const address = new URL(attribute(form, "action"), Object.getOwnPropertyDescriptor(Node.prototype, "baseURI").get.call(form));
    address.search = new URLSearchParams(new FormData(form));
    left.redirect ||= address.href;
  }
  if (self === top) {
    addEventListener("visite-submit", (event) => refuseForm(event.target), true);
    addEventListener("submit", (event) => {
      if (event.defaultPrevented) return; // the page sends it in its own way
      event.preventDefault();
      refuseForm(event.target);
    });
    self.navigation?.addEventListener("navigate", (event) => {
      if (!event.cancelable || event.destination.sameDocument) return;
      event.preventDefault();
      if (event.downloadRequest === null) left.redirect ||= event.destination.url;
    });
  }

  // Changes of the document are noted from the moment the wait for rest begins.
  let changed = 0;
  const observer = new MutationObserver(() => { changed = performance.now(); });
  function watch() {
    changed = performance.now();
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }

  // Texts that change after that wait are noted, with the moments they did.
  const CHANGES = 500, TIMES = 100, APART = 150, CHARACTERS = 1000, NODES = 2000;
  let since = 0;
  const changes = new Map();
  // beginning is how an element's text begins. Nodes are counted and text is not
  // put together whole: elements that hold each other would each copy all of it.
  function beginning(element) {
    const nodes = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    let text = "";
    for (let n = 0; n < NODES && text.length < CHARACTERS && nodes.nextNode(); n++) {
      if (nodes.currentNode.nodeType === Node.TEXT_NODE) text += nodes.currentNode.substringData(0, CHARACTERS - text.length);
    }
    return text;
  }
  const texts = new MutationObserver((list) => {
    const now = performance.now();
    const touched = new Set();
    for (const one of list.slice(0, 200)) touched.add(one.type === "characterData" ? one.target.parentNode : one.target);
    for (const element of touched) {
      if (element?.nodeType !== 1 || element === get("body") || element === get("head")) continue;
      const text = beginning(element);
      const seen = changes.get(element);
      if (!seen) {
        if (changes.size < CHANGES) changes.set(element, { text, times: [now] });
      } else if (seen.text !== text) {
        seen.text = text;
        if (now - seen.times.at(-1) >= APART && seen.times.length < TIMES) seen.times.push(now);
      }
    }
  });

  // quiet resolves when the document has not changed for ms, at the latest after limit.
  async function quiet(ms, limit) {
    const until = performance.now() + limit;
    for (;;) {
      const left = Math.min(changed + ms, until) - performance.now();
      if (left <= 0) break;
      await pause(left);
    }
    observer.disconnect();
    since = performance.now();
    texts.observe(document, { subtree: true, childList: true, characterData: true });
  }

  // afresh forgets the changes so far: those that our scrolling and our answer to a
  // banner made the page do, and the last of its own beginning.
  function afresh() {
    if (!since) return;
    texts.takeRecords();
    changes.clear();
    since = performance.now();
  }

  // settle puts animations and transitions to their end; what has no end is
  // taken away. Contrast judged in the middle of a fade comes and goes.
  function settle() {
    for (const animation of Document.prototype.getAnimations.call(document)) {
      try {
        animation.finish();
      } catch {
        animation.cancel();
      }
    }
  }

  // scroll goes down the page once so that what loads when seen is loaded, at
  // most steps screens and limit ms, then back to the top.
  async function scroll(steps, limit) {
    const until = performance.now() + limit;
    const root = get("documentElement");
    for (let step = 1; step <= steps && performance.now() < until; step++) {
      const top = step * innerHeight;
      scrollTo({ top, behavior: "instant" });
      await frame();
      if (top + innerHeight >= root.scrollHeight) break;
    }
    scrollTo({ top: 0, behavior: "instant" });
    await frame();
  }

  function shadowRoots() {
    const found = [];
    const walk = (list) => {
      for (const element of list) {
        const shadow = visiteTree.shadow(element);
        if (!shadow) continue;
        found.push(shadow);
        walk(shadow.querySelectorAll("*"));
      }
    };
    walk(all());
    return found;
  }

  // html serialises the document, at most limit UTF-16 units of it.
  function html(limit) {
    const root = get("documentElement");
    if (!root) return { html: "", cut: false };
    const type = get("doctype");
    let text = type ? new XMLSerializer().serializeToString(type) + "\n" : "";
    const roots = all().length <= 50000 ? shadowRoots() : [];
    if (roots.length === 0) {
      text += root.outerHTML;
    } else {
      const tag = root.cloneNode(false).outerHTML;
      const end = tag.lastIndexOf("</");
      text += tag.slice(0, end) + root.getHTML({ shadowRoots: roots }) + tag.slice(end);
    }
    return text.length > limit ? { html: text.slice(0, limit), cut: true } : { html: text, cut: false };
  }

  // keys names what the page keeps in the browser's storage, never what it keeps there.
  function keys() {
    const found = [];
    for (const kind of ["local_storage", "session_storage"]) {
      try {
        const storage = kind === "local_storage" ? localStorage : sessionStorage;
        for (let i = 0; i < storage.length && i < 100; i++) found.push({ kind, name: storage.key(i).slice(0, 200) });
      } catch { /* the page's sandbox forbids it to itself, too */ }
    }
    return found;
  }

  // step names an element among its siblings: element names and places only.
  function step(element) {
    const name = visiteTree.localName(element), around = visiteTree.parentNode(element);
    const siblings = around ? visiteTree.children(around) : [element];
    if (!/^[a-z][\w-]{0,30}$/i.test(name)) return `:nth-child(${siblings.indexOf(element) + 1})`;
    const same = siblings.filter((e) => visiteTree.localName(e) === name);
    return same.length === 1 ? name : `${name}:nth-of-type(${same.indexOf(element) + 1})`;
  }
  // path is a selector of an element that holds nothing the page could say; empty
  // for one that lies deeper than most (parsers stop at 512, scripts do not).
  function path(element, most = 1000) {
    const steps = [];
    for (let e = element; e; ) {
      if (steps.length >= 2 * most) return "";
      steps.push(step(e));
      const up = visiteTree.parentElement(e);
      if (up) {
        steps.push(" > ");
        e = up;
        continue;
      }
      const root = visiteTree.root(e);
      if (!(root instanceof ShadowRoot)) break;
      steps.push(" >>> ");
      e = root.host;
    }
    return steps.reverse().join("");
  }

  // mark notes that something of ours runs; ours tells whether it did between two times.
  const marks = [];
  const mark = () => { marks.push(performance.now()); };
  const ours = (from, to) => marks.some((m) => m >= from && m <= to);

  return { state, watch, quiet, settle, scroll, html, afresh, changes: () => ({ since, seen: changes }), frame, keys, path, mark, ours };
})();
