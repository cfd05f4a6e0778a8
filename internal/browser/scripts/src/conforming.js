// Where the validator is stricter than the HTML Standard.

// correct mends its table of elements before it is used.
export function correct(html5) {
  html5["*"].attributes.contenteditable.enum.push("plaintext-only");
  // One of several words of rel is enough for these.
  const link = html5.link.attributes;
  for (const meta of [link.as, link.blocking, link.disabled, link.integrity]) {
    const { allowed } = meta;
    meta.allowed = (node, value) => {
      const rel = node.getAttribute("rel");
      const words = typeof rel === "string" ? rel.trim().split(/\s+/) : [];
      return words.some((word) => allowed({ getAttribute: () => word }, value) === null) ? null : allowed(node, value);
    };
  }
  TYPES.push(...html5.input.attributes.type.enum);
}
const TYPES = []; // of input

// What is obsolete but conforming, by element and attribute: how it has to be written.
const OBSOLETE = {
  "a name": /^name\s*=\s*["']?[^"'\s>]/i,
  "img border": /^border\s*=\s*(["']?)0\1[\s/>]/i,
  "script language": /^language\s*=\s*(["']?)javascript\1[\s/>]/i,
};
const DOCTYPE = /^\s*html\s*(\s+system\s*("about:legacy-compat"|'about:legacy-compat')\s*)?>/i;

// conforming reports whether a message is about something that the standard allows.
// written is what stands in the source from there on; restricted says whether an
// input of a type may not have an attribute.
export function conforming(m, written, restricted) {
  const c = typeof m.context === "object" && m.context ? m.context : {};
  switch (m.ruleId) {
    case "doctype-html": return DOCTYPE.test(written);
    case "no-deprecated-attr": {
      const [, attribute, element] = m.message.match(/^Attribute "([a-z]+)" is deprecated on <([a-z]+)>/i) ?? [];
      return Boolean(OBSOLETE[`${element} ${attribute}`.toLowerCase()]?.test(written));
    }
    case "input-attributes": {
      // Types are compared whatever their case, and one that HTML does not know is text.
      const lower = c.type.toLowerCase(), type = TYPES.includes(lower) ? lower : "text";
      return (type === "number" && ["size", "maxlength"].includes(c.attribute)) || !restricted(type, c.attribute);
    }
    // Unterminated, only a name that browsers know without a semicolon is read as a character.
    case "unrecognized-char-ref": return !c.terminated && new DOMParser().parseFromString(c.entity, "text/html").body.textContent === c.entity;
  }
  return false;
}
