// Finds the banner that asks for consent and covers the page, and refuses or
// closes it. It runs in an isolated world, judges by what is really shown, and
// clicks nothing that accepts. No word of the page leaves it: answers are
// numbers and fixed words.
globalThis.visiteConsent ||= (() => {
  const Doc = Document.prototype;
  const query = (root, selector) => (root === document ? Doc.querySelectorAll.call(document, selector) : root.querySelectorAll(selector));
  const rootElement = () => Object.getOwnPropertyDescriptor(Doc, "documentElement").get.call(document);
  const body = () => Object.getOwnPropertyDescriptor(Doc, "body").get.call(document);
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  // What banners speak of, and what their buttons say (English, German, Spanish, French, Italian, Dutch).
  const ABOUT = /cookie|consent\b|einwillig|datenschutz-?einstellung|privatsph|gdpr|dsgvo|rgpd|galletas|consentimiento|consentement|traceurs|consenso|toestemming|tracking[- ](?:technolog|technik|tool|verfahren)|privacy (?:settings|preferences|choices)/i;
  const REJECT = [
    /^(?:i )?(?:reject|decline|deny|refuse|disagree|disallow|opt.?out|do not (?:accept|consent|agree)|don.t (?:accept|allow)|i (?:do not|don.t) (?:accept|agree|consent)|no,? thanks?|not now)(?:\s|$)/,
    /^(?:(?:use|accept|allow|save)\s+)?(?:only\s+)?(?:strictly\s+)?(?:necessary|essential|required)(?:\s+(?:cookies?|only|ones))*$/, /^(?:accept|allow|use) (?:only )?(?:the )?(?:strictly )?(?:necessary|essential|required)(?: cookies?)?(?: only)?$/, /^continue without (?:accepting|agreeing|consent)/,
    /^(?:alle[s]? )?(?:cookies? )?(?:ablehnen|verweigern|zurückweisen|nicht (?:zustimmen|akzeptieren))/, /^(?:alle[s]?|optionale?|nicht notwendige) (?:\S+ )?ablehnen$/, /^(?:nur |ausschließlich )(?:technisch )?(?:die )?(?:notwendige|essenzielle|essentielle|erforderliche|unbedingt)/, /^(?:ohne (?:einwilligung|zustimmung)|weiter ohne|nein,? danke)/, /^(?:notwendige|essenzielle) (?:cookies )?(?:akzeptieren|erlauben|zulassen)$/,
    /^(?:rechazar|denegar|declinar|no acept)/, /^(?:aceptar |usar )?s[oó]lo (?:las? |cookies )?(?:cookies )?(?:necesarias|esenciales|imprescindibles)/, /^(?:aceptar |usar )?(?:[uú]nicamente|solamente) /, /^continuar sin/,
    /^(?:tout |tous )?(?:refuser|rejeter|décliner)/, /^continuer sans/, /^(?:uniquement|seulement) (?:les )?(?:cookies )?(?:nécessaires|essentiels)/, /^non,? merci/,
    /^(?:rifiuta|nega |continua senza|solo (?:i )?(?:cookie )?(?:necessari|essenziali))/, /^(?:weiger|afwijzen|alles weigeren|alleen (?:noodzakelijke|essentiële)|nee,? bedankt)/,
  ];
  // Refusing for money is no refusal we may choose.
  const PAID = /abo\b|abonn|pay|zahl|pagar|subscri|suscri|payer/;
  const ACCEPT = /accept|agree|allow|consent|enable|okay|\bok\b|got it|understand|understood|akzeptier|zustimm|erlaub|zulassen|einverstanden|verstanden|annehmen|acept|permitir|de acuerdo|entendido|consentir|j.accepte|accepter|autoriser|d.accord|compris|accett|consenti|akkoord|accepteren|toestaan|begrepen|\balright\b|\byes\b|\bja\b|\boui\b|\bs[ií]\b|continue|weiter|continuar|continuer/;
  const LIMITED = /\b(?:only|just|necessary|essential|required|functional|technical|selected|selection|choices?|preferences?|settings?|save|without|none|nothing|reject|decline|deny|refuse|disagree|disallow|not|don.t|no)\b|nur |notwendig|essen[zt]iell|erforderlich|auswahl|einstellung|speichern|ohne|ablehn|verweiger|nicht|kein|s[oó]lo|necesari|esencial|selecci|guardar|ajustes|configur|sin |rechaz|uniquement|nécessaire|essentiel|sélection|enregistrer|paramètr|sans |refus|rejet|rifiut|necessari|selezion|senza|weiger|noodzakelijk|voorkeur|opslaan|zonder/;
  // These say yes whatever else they say, unless they say not.
  const ALL = /^(?:yes|ja|oui|s[ií])\b|(?:accept|allow|agree to|enable) (?:all|everything)(?! (?:strictly )?(?:necessary|essential|required))|\balle[sn]? (?:cookies? )?(?:akzeptieren|zulassen|erlauben|annehmen|zustimmen)|(?:acept|permit)\w* tod[oa]s?|(?:tout|tous) (?:accepter|autoriser)|(?:accepter|autoriser) (?:tout|tous)|accett\w* tutt|alles? (?:accepteren|toestaan)/;
  const NEGATED = /\b(?:do not|don't|not|never|nicht|no|non|ne pas|niet)\s+(?:\S+\s+)?(?:accept|allow|agree|enable|akzeptier|zulass|erlaub|zustimm|acept|permit|accepter|autoriser|accett|toesta)/;
  const CLOSE = /^(?:close|dismiss|schließen|ausblenden|cerrar|fermer|chiudi|sluiten|x|×|✕|✖|✗|╳)(?:\s+(?:this|the|das|den|la|el|le|il)?\s*(?:banner|dialog|dialogue|popup|window|notice|message|fenster|hinweis|ventana|aviso|fenêtre|cookie[\w -]*))?$/;
  const CLOSING_ACCEPTS = /(?:clos|dismiss|continu|scroll|brows|using|schlie|weiter|nutz|cerra|continua|naveg|fermant|poursuiv)[^.]{0,120}(?:accept|agree|consent|akzeptier|zustimm|einverstanden|acept|consiente)/i;
  // Where consent tools leave traces before their banner comes.
  const TOOL = /cookielaw|onetrust|cookiebot|usercentrics|consentmanager|cookie-?(?:consent|script|yes|law|notice|banner|hub|first|pro)|consent[-.]|didomi|klaro|tarteaucitron|borlabs|iubenda|quantcast|privacy-mgmt|sourcepoint|trustarc|truste\.com|osano|termly|complianz|cmplz|axeptio|ccm19|civiccookie|cookiefirst|fundingchoices|privacymanager|gdpr/i;
  const FRAME = /consent|cookie|privacy|cmp\b|sp_message|gdpr|didomi|trustarc|truste|quantcast/i;

  const clean = (text) => String(text || "").toLowerCase().replace(/[\u2018\u2019]/g, "'").replace(/[→›»«‹❯>|]+/g, " ").replace(/\s+/g, " ").trim();
  const parentOf = visiteTree.parent;

  // shown tells that an element is rendered, has a size, lies in view and can be seen.
  function shown(element) {
    if (!element.isConnected || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return false;
    const r = element.getBoundingClientRect();
    if (r.width < 2 || r.height < 2) return false;
    return Math.min(r.right, innerWidth) - Math.max(r.left, 0) > 1 && Math.min(r.bottom, innerHeight) - Math.max(r.top, 0) > 1;
  }
  // Hosts of shadow roots and bare containers have no box of their own.
  const anyShown = (element) => shown(element) || buttons(element).some(shown) || (element.tagName !== "IFRAME" && [...element.children].some(shown));

  function texts(node, limit) {
    let out = node.innerText || "";
    for (const inner of within(node)) if (out.length < limit && inner !== node) out += " " + [...inner.children].map((c) => c.innerText || "").join(" ");
    return out.slice(0, limit);
  }
  // within yields a node and the open shadow roots below it.
  function within(node) {
    const found = [node];
    for (let i = 0; i < found.length && i < 20; i++) {
      if (found[i].shadowRoot) found.push(found[i].shadowRoot);
      for (const e of found[i].querySelectorAll("*")) if (e.shadowRoot && found.length < 20) found.push(e.shadowRoot);
    }
    return found;
  }
  // about tells that a text speaks of consent, other than in links to what is said elsewhere.
  function about(node, text) {
    for (const root of within(node)) {
      for (const a of root.querySelectorAll("a[href]")) {
        const href = a.getAttribute("href");
        if (!/^(?:#|javascript:|$)/i.test(href) && a.innerText) text = text.replace(a.innerText, " ");
      }
    }
    return ABOUT.test(text);
  }
  // named tells that a consent tool's element says by its names what it is.
  const NAMED = /cookie-?(?:banner|consent|notice|modal|dialog|popup|bar|law)|consent-?(?:banner|modal|dialog|popup|manager|layer)|klaro|onetrust|cybot|usercentrics|didomi|tarteaucitron|cmpbox|cky-|cmplz|gdpr|trustarc|truste|qc-cmp/i;
  const named = (e) => [e, parentOf(e)].some((n) => n && n !== body() && n !== rootElement() && NAMED.test(n.id + " " + (n.getAttribute("class") || "")));
  const CHECKS = ".cf-turnstile,.h-captcha,.g-recaptcha,.frc-captcha,#px-captcha,altcha-widget,iframe[src*=captcha],iframe[src*='challenges.cloudflare.com'],input[type=password]";
  const BUTTONS = "button,a,input[type=button],input[type=submit],[role=button],[class*=button],[class*=btn],[onclick]";
  function buttons(node) {
    const out = [];
    for (const root of within(node)) {
      for (const e of root.querySelectorAll(BUTTONS)) if (out.length < 200) out.push(e);
      for (const e of root.querySelectorAll("div,span,p,li,label")) { // buttons by looks
        if (out.length < 200 && e.childElementCount === 0 && e.textContent.trim() && getComputedStyle(e).cursor === "pointer" && !e.closest(BUTTONS)) out.push(e);
      }
    }
    return out.filter((e) => !out.some((o) => o !== e && e.contains(o)) && !e.disabled);
  }
  const label = (e) => clean(e.innerText || e.value || e.getAttribute("aria-label") || e.getAttribute("title"));
  const names = (e) => [e.innerText, e.value, e.getAttribute("aria-label"), e.getAttribute("title")].map(clean).filter(Boolean);

  const rejects = (text) => text.length < 80 && !PAID.test(text) && REJECT.some((p) => p.test(text));
  // accepts is wide on purpose: what may mean yes is never clicked.
  const accepts = (text) => !NEGATED.test(text) && (ALL.test(text) || (ACCEPT.test(text) && !LIMITED.test(text)));
  const speaks = (text) => rejects(text) || (text.length < 60 && (ACCEPT.test(text) || CLOSE.test(text) || LIMITED.test(text)));

  function overlay(e) {
    const position = getComputedStyle(e).position;
    if (position === "fixed" || position === "sticky" || position === "absolute") return true;
    return (e.tagName === "DIALOG" && e.hasAttribute("open")) || /^(?:alert)?dialog$/.test(e.getAttribute("role") || "") || e.getAttribute("aria-modal") === "true";
  }
  const isFrame = (e) => e.tagName === "IFRAME" && [e.src, e.id, e.title, e.name, e.className].some((v) => FRAME.test(v || ""));

  function eachPoint(f) {
    const across = 9, down = 12;
    for (let i = 0; i < across; i++) for (let j = 0; j < down; j++) f(((i + 0.5) * innerWidth) / across, ((j + 0.5) * innerHeight) / down);
  }

  // hits are the elements that lie uppermost at points all over the view.
  function hits() {
    const found = new Set();
    eachPoint((x, y) => {
      let e = Doc.elementFromPoint.call(document, x, y);
      for (let depth = 0; e && e.shadowRoot && depth < 10; depth++) {
        const inner = e.shadowRoot.elementFromPoint(x, y);
        if (!inner || inner === e) break;
        e = inner;
      }
      if (e) found.add(e);
    });
    return found;
  }

  // find lists what covers the page and asks for consent: innermost overlays with
  // words about it and buttons, and frames of consent tools.
  let banners = [];
  function find() {
    const seen = new Set(), found = new Set();
    for (const hit of hits()) {
      for (let e = hit, floats = false; e && e !== body() && e !== rootElement(); e = parentOf(e)) {
        if (e.tagName === "IFRAME" && isFrame(e)) {
          let o = e;
          while (o && o !== body() && !overlay(o)) o = parentOf(o);
          if (o && o !== body() && shown(e)) found.add(e);
          break;
        }
        floats = overlay(e);
        if (!floats) continue;
        if (seen.has(e)) {
          if (found.has(e)) break;
          continue;
        }
        seen.add(e);
        const text = texts(e, 6000);
        if (text.length < 6000 && (named(e) || (ABOUT.test(text) && about(e, text))) && !e.querySelector(CHECKS) && buttons(e).some((b) => shown(b) && names(b).some(speaks))) {
          found.add(e);
          break;
        }
      }
    }
    return [...found].filter((e) => ![...found].some((o) => o !== e && e.contains(o))); // what holds one is its frame
  }

  // look answers how many banners are shown and whether a consent tool is there
  // that may bring one yet.
  function look() {
    banners = find();
    return { shown: banners.length, frames: banners.map((b, i) => (b.tagName === "IFRAME" ? i : -1)).filter((i) => i >= 0), tool: banners.length === 0 && tool() };
  }
  function tool() {
    for (const e of query(document, "script[src],iframe[src],link[rel=stylesheet][href]")) if (TOOL.test(e.src || e.href || "")) return true;
    for (const e of query(document, "script[id],div[id]")) if (TOOL.test(e.id)) return true;
    return false;
  }
  // await resolves as soon as a banner is shown, at the latest after limit ms.
  async function appears(limit) {
    for (const until = performance.now() + limit; performance.now() < until; await pause(150)) {
      if (find().length > 0) break;
    }
    return look();
  }
  const frame = (i) => banners[i];

  // whole makes a frame's own document the banner.
  function whole() {
    banners = body() ? [body()] : [];
    return banners.length > 0 && ABOUT.test(texts(banners[0], 20000));
  }

  function press(e) {
    e.click();
    return true;
  }
  // reject clicks the first button that plainly refuses.
  function reject() {
    for (const banner of banners) {
      const button = buttons(banner).find((b) => shown(b) && rejects(label(b)) && !accepts(label(b)));
      if (button) return press(button);
    }
    return false;
  }
  // close clicks the first button that only closes, unless the banner takes that for a yes.
  function close() {
    for (const banner of banners) {
      if (CLOSING_ACCEPTS.test(texts(banner, 6000))) continue;
      const button = buttons(banner).find((b) => shown(b) && names(b).some((n) => CLOSE.test(n)) && !names(b).some(accepts));
      if (button) return press(button);
    }
    return false;
  }

  // gone waits until none of the banners is shown and no other came in their place.
  async function gone(limit) {
    for (const until = performance.now() + limit; ; await pause(60)) {
      if (!banners.some(anyShown)) {
        await pause(40);
        return find().length === 0 && !veiled();
      }
      if (performance.now() >= until) return false;
    }
  }

  // veiled tells that an empty sheet still lies over nearly all of the view.
  function veiled() {
    const covers = new Map();
    let points = 0;
    eachPoint((x, y) => {
      points++;
      const e = Doc.elementFromPoint.call(document, x, y);
      if (e) covers.set(e, (covers.get(e) || 0) + 1);
    });
    for (const [e, n] of covers) {
      if (n < points * 0.9 || e === body() || e === rootElement() || !overlay(e)) continue;
      const style = getComputedStyle(e);
      const seen = !/^(?:transparent|rgba\(.*, 0\))$/.test(style.backgroundColor) || style.backdropFilter !== "none";
      if (seen && texts(e, 100).trim() === "" && !e.querySelector("img,video,canvas,iframe,svg,input")) return true;
    }
    return false;
  }

  // locked tells that a page with more than fits into the view cannot be scrolled.
  function locked() {
    const root = rootElement(), b = body();
    if (!root || !b) return false;
    const stuck = (e) => /^(?:hidden|clip)$/.test(getComputedStyle(e).overflowY);
    if (getComputedStyle(b).position === "fixed") return b.scrollHeight > innerHeight + 1;
    return (stuck(root) || stuck(b)) && Math.max(root.scrollHeight, b.scrollHeight) > innerHeight + 1;
  }

  return { look, appears, frame, whole, reject, close, gone, locked, accepts, rejects, names };
})();
