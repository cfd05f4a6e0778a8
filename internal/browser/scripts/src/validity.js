// Runs in a tab of our own that holds no page, and judges the served source of
// pages by the HTML Standard. Nothing of a source leaves but the rule, line and
// column of a fault and names of elements and attributes that HTML has.
import { HtmlValidate, StaticConfigLoader } from "html-validate/browser";
import html5 from "html-validate/elements/html5";
import { conforming, correct } from "./conforming.js";

// Conformance of the document alone. Left out of the preset "standard" are what
// other rules of ours and the accessibility engines report (ids, doctype, obsolete
// elements, ARIA, autocomplete, main), what takes tags that may be left out for
// missing (element-required-content), and matters of style.
const RULES = {
  "attr-spacing": "error",
  "attribute-allowed-values": "error",
  "attribute-misuse": "error",
  "close-attr": "error",
  "close-order": "error",
  "doctype-html": "error",
  "element-name": "error",
  "element-permitted-content": "error",
  "element-permitted-occurrences": "error",
  "element-permitted-order": "error",
  "element-permitted-parent": "error",
  "element-required-ancestor": "error",
  "element-required-attributes": "error",
  "input-attributes": "error",
  "map-dup-name": "error",
  "map-id-name": "error",
  "multiple-labeled-controls": "error",
  "no-deprecated-attr": "error",
  "no-raw-characters": ["error", { relaxed: true }],
  "no-self-closing": "error",
  "unrecognized-char-ref": "error",
  "valid-for": "error",
  "void-content": "error",
};
const WRITTEN = 200; // characters of the source from a fault on that tell whether it is one
const PLACES = 3; // told of one rule
const NAMES_NEEDED = ["title", "lang"]; // asked of frames and html for people who listen: the accessibility rules say it

correct(html5);
// The loader would build the table of all elements anew for each page.
const loader = new StaticConfigLoader({ root: true, extends: [], elements: [html5], rules: RULES });
const config = loader.getConfigFor("page.html");
loader.getConfigFor = () => config;
const validator = new HtmlValidate(loader);

const attributes = new Set(Object.values(html5).flatMap((e) => Object.keys(e.attributes ?? {})));
const isElement = (name) => name !== "*" && Object.hasOwn(html5, name);
// element and attribute are a name if it is one of HTML's, else nothing.
function element(name) {
  const bare = typeof name === "string" ? name.replace(/[<>/]/g, "").toLowerCase() : "";
  return isElement(bare) ? bare : "";
}
function attribute(name) {
  const bare = typeof name === "string" ? name.toLowerCase() : "";
  return attributes.has(bare) ? bare : "";
}

// what is meant by a message, in names of HTML's alone.
function place(m) {
  const c = typeof m.context === "object" && m.context ? m.context : {};
  const last = (m.selector ?? "").split(">").at(-1).trim().match(/^[a-z][a-z0-9]*/)?.[0];
  const tag = m.ruleId === "close-order" || m.ruleId === "void-content" ? m.message.match(/<\/?([a-z][a-z0-9]*)>/i)?.[1] ?? m.context : "";
  return {
    line: m.line,
    column: m.column,
    element: element(c.child) || element(c.tagName) || element(c.element) || element(tag) || element(last),
    inside: element(c.parent) || element(c.ancestor),
    attribute: attribute(c.attribute) || attribute(c.attr) || attribute(m.message.match(/^Attribute "([a-z-]+)"/i)?.[1]),
  };
}

// saidElsewhere: another rule of ours reports the same.
const ELSEWHERE = ["title", "base", "meta"]; // which stand twice, or outside the head
const IN_LISTS = ["li", "dt", "dd"];
function saidElsewhere(m) {
  const p = place(m);
  switch (m.ruleId) {
    case "element-required-attributes": return NAMES_NEEDED.includes(p.attribute);
    case "attribute-allowed-values": return ["charset", "scope", "lang"].includes(p.attribute);
    case "element-required-ancestor": return IN_LISTS.includes(p.element);
    case "element-permitted-occurrences": case "element-permitted-parent": case "element-permitted-content":
      return ELSEWHERE.includes(p.element) || IN_LISTS.includes(p.element) || ["ul", "ol", "dl"].includes(p.inside) || Boolean(html5[p.element]?.deprecated);
  }
  return false;
}

// spaced: an address may stand between spaces and line ends (HTML, 2.4.1), which the
// validator's patterns do not reach over.
const ADDRESSES = ["href", "src", "data"];
function spaced(m) {
  const c = m.context;
  return m.ruleId === "attribute-allowed-values" && ADDRESSES.includes(place(m).attribute) && /[\n\r]/.test(c.value) && /[^\t\n\f\r ]/.test(c.value);
}

// readable is a source of the same length that the validator reads by the Standard:
// it takes <DIV> and </div> for two elements, and <P> for one it does not know.
function readable(source) {
  const named = source.replace(/<\/?[A-Za-z][\w:-]*/g, (tag) => tag.toLowerCase());
  return named.replaceAll(/html-validate-/gi, "html_validate-"); // the page does not decide what is looked at
}

// restricted: the validator does not let an input of a type have an attribute.
const asked = new Map();
function restricted(type, name) {
  const tag = `<input type="${type}" ${name}>`; // a type of HTML's and an attribute that the validator knows
  if (!asked.has(tag)) asked.set(tag, validator.validateStringSync(tag, "tag.html").results.some((r) => r.messages.some((m) => m.ruleId === "input-attributes")));
  return asked.get(tag);
}

// validity judges one document. It is whole where all of it could be read.
globalThis.validity = (sent) => {
  const source = readable(sent);
  const report = validator.validateStringSync(source, "page.html");
  const rules = new Map();
  let whole = true;
  for (const m of report.results.flatMap((r) => r.messages)) {
    if (!Object.hasOwn(RULES, m.ruleId)) { // it could not read on
      whole = false;
      continue;
    }
    if (saidElsewhere(m) || spaced(m) || conforming(m, source.slice(m.offset, m.offset + WRITTEN), restricted)) continue;
    let rule = rules.get(m.ruleId);
    if (!rule) rules.set(m.ruleId, (rule = { rule: m.ruleId, count: 0, places: [] }));
    if (++rule.count <= PLACES) rule.places.push(place(m));
    // Style elements, which harm least, are told of alone only where there is nothing else.
    else if (rule.places.every((p) => p.element === "style")) rule.places[PLACES - 1] = place(m);
  }
  return { whole, rules: [...rules.values()].sort((a, b) => (a.rule < b.rule ? -1 : 1)) };
};
