// Ways through a document that no page can bend: a form's fields that are named
// like a property ("children", "parentNode") stand before it (DOM clobbering), so
// properties are taken from the prototypes.
globalThis.visiteTree = (() => {
  const getter = (proto, name) => {
    const { get } = Object.getOwnPropertyDescriptor(proto, name);
    return (object) => get.call(object);
  };
  const kind = getter(Node.prototype, "nodeType");
  const slot = getter(Element.prototype, "assignedSlot"), parentElement = getter(Node.prototype, "parentElement");
  const root = (node) => Node.prototype.getRootNode.call(node);
  const CHILDREN = { 1: getter(Element.prototype, "children"), 9: getter(Document.prototype, "children"), 11: getter(DocumentFragment.prototype, "children") };

  return {
    parentNode: getter(Node.prototype, "parentNode"),
    parentElement,
    root,
    shadow: getter(Element.prototype, "shadowRoot"),
    name: getter(Node.prototype, "nodeName"),
    localName: getter(Element.prototype, "localName"),
    kind,
    // parent is the element around another one as it is shown, slots and hosts of
    // shadow roots included; null for the outermost.
    parent(element) {
      const above = slot(element) || parentElement(element), top = above || root(element);
      return above || (top instanceof ShadowRoot ? top.host : null);
    },
    children: (node) => [...CHILDREN[kind(node)](node)],
  };
})();
