// Labels that leave open what a field wants (WCAG 2.4.6, ACT cc0f0a).
(() => {
  const { rule, elements, attr, visible, spoken, name, parent } = visiteOwn;
  const WRITTEN = /^(|text|email|tel|url|number|date|datetime-local|month|week|time|search|password)$/;
  const FIELDS = 300; // of a page that are compared
  const TEXTS = 2000; // looked at between two fields

  // Words that fit any field there is, in the languages we speak. What may be meant
  // ("Label", "Field", "Input", "Entrada" for an arrival) is none of them.
  const ANY = new Set(["input field", "form field", "text field", "textfield", "text box", "textbox", "text input", "undefined", "null", "placeholder",
    "eingabefeld", "formularfeld", "textfeld", "campo de texto", "campo de entrada"]);
  // Words for a part of a page, where anything may be written; a number of menus may be ordered.
  const PART = new Set(["menu", "menü", "menú"]);
  // Words that fit where people may write what they want, and no field for one kind of value.
  const LOOSE = new Set(["info", "information", "infos", "text", "información", "texto"]);

  const plain = (text) => text.toLowerCase().normalize("NFKC").replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim();
  const kind = (e) => (e.localName === "input" ? (attr(e, "type") || "").trim().toLowerCase() : "");
  const written = (e) => e.localName === "textarea" || (e.localName === "input" && WRITTEN.test(kind(e)));

  // labels are the elements that the markup names as a field's label.
  function labels(field) {
    const ids = (attr(field, "aria-labelledby") || "").split(/\s+/).filter(Boolean);
    if (ids.length > 0) return ids.map((id) => field.getRootNode().getElementById?.(id)).filter(Boolean);
    return attr(field, "aria-label")?.trim() ? [] : [...(field.labels || [])];
  }
  // own is a label's text without what is written into fields within.
  function own(label) {
    let out = "";
    const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (!node.parentElement.closest("select,textarea,button,script,style")) out += node.data + " ";
    return plain(out);
  }
  function collect(late) {
    const out = [];
    for (const e of elements()) {
      if (late()) break;
      if (!written(e) || e.disabled || !visible(e) || !spoken(e)) continue;
      const shown = labels(e).filter(visible);
      if (shown.length > 0) out.push({ e, shown, label: shown.map(own).filter(Boolean).join(" ") });
      if (out.length >= FIELDS) break;
    }
    return out;
  }
  // grouped: something around the field is named, and may say what the label leaves open.
  function grouped(e) {
    for (let at = parent(e); at; at = parent(at)) {
      if (at.localName === "fieldset" && at.querySelector("legend")) return true;
      if (/^(td|th|dialog)$/.test(at.localName) || (/^(group|radiogroup|dialog|row|region)$/.test(attr(at, "role") || "") && (attr(at, "aria-label") || attr(at, "aria-labelledby")))) return true;
    }
    return false;
  }
  const described = (e) => !!(attr(e, "aria-describedby") || attr(e, "title") || attr(e, "placeholder"));

  // told: between two places of the document something else is to be seen.
  function told(from, to, known) {
    // One within the other, or not in this order: nothing lies between them.
    if (from.contains(to) || to.contains(from) || to.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_FOLLOWING) return true;
    const range = document.createRange();
    range.setStartAfter(from);
    range.setEndBefore(to);
    const walker = document.createTreeWalker(range.commonAncestorContainer, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(), n = 0; node; node = walker.nextNode()) {
      if (++n > TEXTS) return true;
      if (!range.intersectsNode(node)) continue;
      const around = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
      if (node.nodeType === Node.TEXT_NODE ? !node.data.trim() || known.some((label) => label.contains(node)) : !/^(img|svg|canvas|video|object|iframe|hr|button)$/.test(node.localName)) continue;
      if (around && !/^(script|style|option)$/.test(around.localName) && visible(around)) return true;
    }
    return false;
  }

  rule("field-label-unclear", (report, late) => {
    const fields = collect(late);
    for (const { e, label } of fields) {
      const line = e.localName === "input", free = /^(|text|search|tel|url)$/.test(kind(e)); // "Info" may name the line or page that gives it
      const loose = LOOSE.has(label) && line;
      if (!ANY.has(label) && !loose && !(PART.has(label) && line && /^(|text)$/.test(kind(e)))) continue;
      report(e, "fits any field", (loose && free) || grouped(e) || described(e) ? "needs_review" : "failed");
    }
    const known = fields.flatMap((f) => f.shown);
    const forms = new Map(); // each form's last field of a label
    for (const field of fields) {
      if (late()) return false;
      const { e, shown, label } = field;
      if (!label || described(e) || e.closest("table,[role=table],[role=grid],li,dd")) continue;
      if (!forms.has(e.form)) forms.set(e.form, new Map());
      const before = forms.get(e.form).get(label);
      forms.get(e.form).set(label, field);
      if (!before || name(before.e) !== name(e)) continue;
      if (!told(before.e, shown[0].contains(e) ? e : shown[0], known)) report(e, "as another one");
    }
    return !late();
  });
})();
