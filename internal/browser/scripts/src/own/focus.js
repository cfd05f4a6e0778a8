// What the keyboard meets. The browser side presses the keys; these functions
// say where the focus is and judge what came of it.
(() => {
  const { elements, tabbable, path, hits, attr, parent, visibleText } = visiteOwn;
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  function active() {
    let e = document.activeElement;
    while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e === document.body || e === document.documentElement ? null : e;
  }

  // hiddenButReached: what is taken from assistive technology keeps the focus.
  const inside = (e) => { for (let p = e; p; p = parent(p)) if (attr(p, "aria-hidden") === "true") return true; return false; };
  const hidden = () => (document.querySelector("[aria-hidden=true]") || elements().some((e) => e.shadowRoot) ? elements().filter((e) => tabbable(e) && inside(e)).slice(0, 20) : []);
  async function hiddenButReached() {
    const { list, report } = hits("aria-hidden-keeps-focus");
    for (const e of hidden()) {
      e.focus({ preventScroll: true });
      await pause(20);
      if (active() === e) report(e);
      e.blur();
    }
    return list;
  }

  // order is the stops in the order the markup gives them.
  let stops = [];
  function order() {
    const found = elements().filter((e) => tabbable(e) && e.localName !== "iframe" && !radioAside(e));
    const positive = found.filter((e) => e.tabIndex > 0).sort((a, b) => a.tabIndex - b.tabIndex);
    stops = [...positive, ...found.filter((e) => e.tabIndex === 0)];
    return stops.length;
  }
  // Of a group of radio buttons the keyboard meets one.
  const radioAside = (e) => e.localName === "input" && e.type === "radio" && !e.checked;

  // at is the stop the focus is on now: its place in the order, -1 outside.
  const at = () => stops.indexOf(active());
  async function rest(ms) {
    await pause(ms);
    return at();
  }
  async function start(i) {
    for (let tries = 0; tries < 2 && at() !== i; tries++) {
      stops[i].focus({ preventScroll: true });
      await pause(20);
    }
    return at();
  }

  const KEYS = /\b(ctrl|control|strg|alt|shift|esc|escape|f\d{1,2})\b(?:\s*(?:\+|-|und|and|y)\s*([a-z0-9]))?/gi;
  // advice lists the keys that the visible text names.
  function advice() {
    const out = [];
    for (const [, first, key = ""] of visibleText(document.body).slice(0, 200000).matchAll(KEYS)) {
      const one = first.toLowerCase().replace("control", "ctrl").replace("strg", "ctrl").replace("escape", "esc");
      if (key || /^(esc|f\d+)$/.test(one)) out.push({ modifier: one, key: key.toLowerCase() });
      if (out.length >= 3) break;
    }
    return out;
  }
  const inDialog = (i) => !!stops[i].closest("dialog,[role=dialog],[role=alertdialog],[aria-modal=true]");

  function trapped(list, outcome) {
    const { list: found, report } = hits("keyboard-trap");
    for (const i of list.slice(0, 5)) report(stops[i], `${list.length} stops`, outcome);
    return found;
  }

  // Where the caret or a list shows the focus, styles need not.
  const showsItself = (e) => e.matches("input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=reset],[type=image],[type=range],[type=color],[type=file]),textarea,select,[contenteditable]");
  const LOOKS = ["outline", "boxShadow", "border", "background", "color", "textDecoration", "opacity", "transform", "filter", "fontWeight", "fontSize", "padding", "clipPath", "visibility"];
  function looks(e) {
    const of = (element, pseudo) => { const style = getComputedStyle(element, pseudo); return LOOKS.map((one) => style[one]).join(); };
    return [of(e), of(e, "::before"), of(e, "::after"), ...[e.parentElement, e.firstElementChild].filter(Boolean).map((o) => of(o))].join("|");
  }

  // faint lists stops whose styles do not tell focus from no focus, one of a kind.
  function faint(max) {
    const kinds = new Map();
    active()?.blur();
    for (const [i, e] of stops.slice(0, 100).entries()) {
      const kind = e.localName + "." + e.classList;
      if (kinds.size >= max) break;
      if (kinds.has(kind) || showsItself(e)) continue;
      const before = looks(e);
      e.focus({ preventScroll: true });
      if (active() !== e) continue;
      const same = looks(e) === before && visiteOwn.visible(e);
      e.blur();
      if (same) kinds.set(kind, i);
    }
    return [...kinds.values()];
  }
  // show puts a stop into the middle of the screen, with the focus or without.
  async function show(i, focused) {
    if (focused) stops[i].focus({ preventScroll: true });
    else {
      stops[i].scrollIntoView({ block: "center", behavior: "instant" });
      active()?.blur();
    }
    visite.settle();
    await pause(50);
    visite.settle();
    return at() === i;
  }
  function unseen(list) {
    const { list: found, report } = hits("focus-not-visible");
    for (const i of list) report(stops[i]);
    return found;
  }

  visiteOwn.focus = { rest, faint, show, unseen, hidden, hiddenButReached, order, at, start, advice, inDialog, trapped, active };
})();
