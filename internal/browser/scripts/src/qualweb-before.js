// Stands before QualWeb's packages in a world of their own. They note what they
// reckon in attributes of the page's elements; here these notes go where neither
// the page nor its observers see them.
globalThis.visiteNotes = (() => {
  const notes = new WeakMap();
  const ours = (name) => /^(?:qw-|_documentselector$)/i.test(name);
  const of = (element) => notes.get(element) || notes.set(element, {}).get(element);

  // divert takes the notes over in one document's realm, and in those of its frames of the same origin.
  function divert(realm) {
    const proto = realm.Element.prototype;
    const { getAttribute, setAttribute, removeAttribute } = proto;
    proto.getAttribute = function (name) {
      return ours(name) ? notes.get(this)?.[name] ?? null : getAttribute.call(this, name);
    };
    proto.setAttribute = function (name, value) {
      if (ours(name)) of(this)[name] = String(value);
      else setAttribute.call(this, name, value);
    };
    proto.removeAttribute = function (name) {
      if (ours(name)) delete of(this)[name];
      else removeAttribute.call(this, name);
    };
    for (const frame of realm.Document.prototype.querySelectorAll.call(realm.document, "iframe")) {
      try {
        if (frame.contentDocument) divert(frame.contentWindow);
      } catch { /* of another origin */ }
    }
  }
  divert(window);
  return notes;
})();
