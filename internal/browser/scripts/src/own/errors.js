// Messages of faults in a form that do not help to mend them (WCAG 3.3.1, ACT 36b590).
(() => {
  const { rule, elements, attr, parent, visible, spoken, silenced, symbols, query } = visiteOwn;
  const LONG = 200; // characters of a message
  const FIELDS = "input:not([type=hidden],[type=submit],[type=button],[type=reset],[type=image]),select,textarea";

  const plain = (text) => text.toLowerCase().normalize("NFKC").replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim();
  // What says that something is wrong and nothing of what or where.
  const NOTHING_TOLD = [
    /^(please )?(fill|fill in|fill out|enter|complete|correct) (the|this) (field|value|input|entry)( correctly)?$/,
    /^(please )?(fill|fill in|fill out|complete) (the|this) form correctly$/,
    /^((the|this|a) )?(field|value|input|entry) is (invalid|wrong|incorrect|not valid)$/,
    /^(invalid|wrong|incorrect) (value|input|entry|data)$/,
    /^(bitte )?(füllen sie )?(das|dieses) feld (korrekt|richtig) (aus|ausfüllen)$/,
    /^(ungültiger wert|ungültige eingabe|falsche eingabe|falscher wert|(die|diese) eingabe ist (ungültig|falsch)|(das|dieses) feld ist ungültig)$/,
    /^(por favor )?(rellene|complete) (el|este) campo correctamente$/,
    /^(valor (no válido|inválido|incorrecto)|entrada (no válida|inválida|incorrecta)|(el|este) campo no es válido)$/,
  ];
  // What says where, and not what.
  const NO_REASON = [
    /^(?:invalid|wrong|incorrect) (?:value|input|entry) (?:for|in) (?:the field )?(.+)$/,
    /^(?:ungültiger wert|ungültige eingabe|falsche eingabe) (?:für|bei|im feld) (.+)$/,
    /^(?:valor|entrada) (?:no válid[oa]|incorrect[oa]) (?:para|en) (.+)$/,
  ];
  const WANTED = [/^please (?:fill in|fill|enter|provide) (?:your |the )?(.+)$/, /^bitte (.+) (?:ausfüllen|eingeben|angeben)$/, /^(?:rellene|introduzca|indique) (?:su |el |la )?(.+)$/];
  // What says that something is wrong, whatever else.
  const FAULT = /^(error|fehler) |^(invalid|ungültig\p{L}*|falsch\p{L}* eingabe) |(^| )(is|are) (invalid|not valid|incorrect)( |$)| (ist|sind) ungültig|(^| )(no es válid[oa]|inválid[oa])( |$)/u;
  const REASON = /(^| )(must|should|at least|at most|between|format|example|e g|only|muss|darf|mindestens|höchstens|zwischen|beispiel|nur|debe|al menos|como máximo|entre|formato|ejemplo|solo)( |$)/;

  const MAYBE = /please|invalid|valid|wrong|incorrect|correct|error|bitte|ungültig|falsch|fehler|feld|valor|entrada|válid|rellene|introduzca|indique|campo/i;

  const ownText = (e) => [...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE).map((n) => n.data).join(" ");
  // lines are a message's sentences and lines.
  const lines = (e) => e.innerText.split(/[\n.!]+/).map(plain).filter(Boolean);
  const labelled = (field) => [...(field.labels || [])].map((label) => plain(label.innerText.replace(/\([^()]*\)/g, "")));

  // messages are the smallest elements with text that may be one.
  function* messages(late) {
    for (const e of elements()) {
      if (late()) return;
      if (!/^(p|div|span|strong|b|em|small|li|output|i)$/.test(e.localName) || e.closest("label,legend,button,a,nav,select,[contenteditable],h1,h2,h3,h4,h5,h6,pre,code")) continue;
      if (ownText(e).trim().length < 5 || e.textContent.length > LONG || !MAYBE.test(e.textContent) || e.querySelector(FIELDS)) continue;
      if (visible(e)) yield e;
    }
  }
  const LIVE = "[role=alert],[role=status],[aria-live]:not([aria-live=off]),output";
  // A form that holds the whole page says as little as none of what belongs together.
  const PAGE = "main,nav,footer,[role=main],[role=navigation]";
  // around: the fields that a message may be about, by what holds both. Outside a
  // form only what is marked as an announcement is one: pages speak of errors, too.
  function around(message) {
    const nearest = message.closest("form"), form = nearest && query(PAGE, nearest).length === 0 ? nearest : null;
    for (let at = form || message.closest(LIVE) ? parent(message) : null; at && at !== document.documentElement; at = parent(at)) {
      const fields = query(FIELDS, at).filter(visible);
      if (fields.length > 0) return { fields, form: form?.contains(at) ? form : at };
    }
    return { fields: [], form: null };
  }
  // sentence: words that are to be read, and not the name of a symbol (error_outline).
  const sentence = (message) => /\S\s+\S/.test(message.innerText) && !message.innerText.includes("_") && !symbols(message);
  // hiddenAlone: what takes the message from assistive technology stands within its
  // form and takes no field along, as what lies behind a dialog is.
  function hiddenAlone(message, form) {
    for (let at = message; at; at = parent(at)) {
      if (silenced(at) && (at === form || !form.contains(at) || query(FIELDS, at).length > 0)) return false;
    }
    return true;
  }
  const refersTo = (e) => {
    for (let at = e; at && at !== document.body; at = parent(at)) {
      const id = attr(at, "id");
      if (id && query(`[aria-describedby~="${CSS.escape(id)}"],[aria-errormessage~="${CSS.escape(id)}"],[aria-labelledby~="${CSS.escape(id)}"]`).length > 0) return true;
    }
    return false;
  };
  const saidElsewhere = (message, text) => elements().some((e) => e !== message && !message.contains(e) && plain(ownText(e)).includes(text) && spoken(e));

  function wrong(message) {
    const text = plain(message.innerText);
    const { fields, form } = around(message);
    if (fields.length === 0 || !form) return "";
    if (!spoken(message)) return FAULT.test(text) && sentence(message) && hiddenAlone(message, form) && !refersTo(message) && !saidElsewhere(message, text) ? "hidden from assistive technology" : "";
    const all = query(FIELDS, form).filter(visible);
    if (refersTo(message) || all.some((f) => attr(f, "aria-invalid") === "true")) return "";
    if (all.length > 1 && fields.length > 1 && NOTHING_TOLD.some((one) => one.test(text))) return "tells neither field nor fault";
    for (const line of lines(message)) {
      const wanted = WANTED.map((one) => one.exec(line)?.[1]).find(Boolean);
      if (wanted && fields.length > 1 && all.filter((f) => labelled(f).includes(wanted)).length > 1) return "several fields have the name it tells";
    }
    const told = NO_REASON.map((one) => one.exec(text)?.[1]).find(Boolean);
    if (!told || message.innerText.trim().replace(/[.!]+$/, "").match(/[.!?\n]/)) return "";
    const field = all.find((f) => labelled(f).includes(told));
    if (!field || attr(field, "aria-describedby") || attr(field, "title") || attr(field, "placeholder") || REASON.test(plain(form.innerText))) return "";
    return "tells no reason";
  }

  rule("error-message-unclear", (report, late) => {
    if (query(FIELDS).length === 0) return true;
    let looked = 0;
    for (const message of messages(late)) {
      if (++looked > 2000) return true;
      const what = wrong(message);
      if (what) report(message, what);
    }
    return !late();
  });
})();
