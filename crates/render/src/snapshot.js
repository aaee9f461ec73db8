// Serializes the current document: shadow roots are inlined where they are displayed, noscript is removed (scripts did
// run), and a base is added if a script changed the URL. Runs in an isolated world, so that modified prototypes of the page
// have no effect. Properties are read from the prototypes, because named elements can shadow them.
((maxLength, requested) => {
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (node) => get.call(node);
  };
  const pageOf = getter(Document, "documentElement");
  const headOf = getter(Document, "head");
  const doctypeOf = getter(Document, "doctype");
  const outer = getter(Element, "outerHTML");
  const inner = getter(Element, "innerHTML");
  const nameOf = getter(Element, "localName");
  const shadowOf = getter(Element, "shadowRoot");
  const childrenOf = getter(Node, "childNodes");
  const parentOf = getter(Node, "parentElement");
  const typeOf = getter(Node, "nodeType");
  const all = (root, selector) =>
    (root instanceof Document ? Document : DocumentFragment).prototype.querySelectorAll.call(root, selector);
  const make = (name) => Document.prototype.createElement.call(document, name);

  const page = pageOf(document);
  if (!page || !/^https?:$/.test(location.protocol)) return null;
  for (const element of all(document, "noscript")) Element.prototype.remove.call(element);
  const here = location.href.split("#")[0];
  const head = headOf(document);
  if (here !== requested && head && all(document, "base[href]").length === 0) {
    const base = make("base");
    base.setAttribute("href", here);
    Element.prototype.prepend.call(head, base);
  }
  const hasShadow = (root) => {
    for (const element of all(root, "*")) if (shadowOf(element)) return true;
    return false;
  };
  let html;
  if (!hasShadow(document)) {
    html = outer(page);
  } else {
    // Slotted content moves to its slot; content that is not slotted is not displayed and is dropped.
    const empty = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
    const parts = [];
    let length = 0;
    const put = (text) => {
      parts.push(text);
      length += text.length;
    };
    const work = [page];
    while (work.length > 0 && length <= maxLength) {
      const node = work.pop();
      if (typeof node === "string") {
        put(node);
        continue;
      }
      if (typeOf(node) !== Node.ELEMENT_NODE) {
        if (typeOf(node) !== Node.TEXT_NODE) continue;
        const parent = parentOf(node);
        const raw = parent && ["script", "style"].includes(nameOf(parent));
        const box = make(raw ? "script" : "i");
        box.append(node.data);
        put(inner(box));
        continue;
      }
      const name = nameOf(node);
      let children;
      if (name === "slot" && node.getRootNode() instanceof ShadowRoot) {
        const assigned = node.assignedNodes();
        children = assigned.length > 0 ? assigned : [...childrenOf(node)];
      } else {
        const shell = outer(Node.prototype.cloneNode.call(node, false));
        if (empty.has(name)) {
          put(shell);
          continue;
        }
        const close = `</${name}>`;
        put(shell.endsWith(close) ? shell.slice(0, -close.length) : shell);
        work.push(close);
        if (name === "template") continue;
        children = [...childrenOf(shadowOf(node) ?? node)];
      }
      for (const child of children.reverse()) work.push(child);
    }
    html = parts.join("");
  }
  const doctype = doctypeOf(document) ? "<!DOCTYPE html>" : "";
  // The page or our limit may cut a surrogate pair in half.
  return { html: doctype + html.slice(0, maxLength).toWellFormed(), truncated: html.length > maxLength };
})
