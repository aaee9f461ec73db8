// The document as it stands: what is in shadow roots where a reader sees it, no noscript (scripts did run), and a base
// where a script changed the page's address. Runs in a world of its own, so a page that bends its prototypes bends its own.
((longest, requested) => {
  const page = document.documentElement;
  if (!page) return { html: "", cut: false };
  for (const element of document.querySelectorAll("noscript")) element.remove();
  const here = location.href.split("#")[0];
  if (here !== requested && document.head && !document.querySelector("base[href]")) {
    const base = document.createElement("base");
    base.href = here;
    document.head.prepend(base);
  }
  const hosts = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) {
        hosts.push(element);
        look(element.shadowRoot);
      }
    }
  };
  look(document);
  let html;
  if (hosts.length === 0) {
    html = page.outerHTML;
  } else {
    // What is slotted moves to its slot; what is not slotted is not shown, and goes.
    const empty = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);
    const parts = [];
    let length = 0;
    const put = (text) => {
      parts.push(text);
      length += text.length;
    };
    const work = [[page, false]];
    while (work.length > 0 && length <= longest) {
      const [node, end] = work.pop();
      if (end) {
        put(node);
        continue;
      }
      if (node.nodeType !== Node.ELEMENT_NODE) {
        const box = document.createElement(node.parentElement && ["SCRIPT", "STYLE"].includes(node.parentElement.tagName) ? "script" : "i");
        if (node.nodeType === Node.TEXT_NODE) {
          box.append(node.data);
          put(box.innerHTML);
        }
        continue;
      }
      let children;
      if (node.tagName === "SLOT" && node.getRootNode() instanceof ShadowRoot) {
        const assigned = node.assignedNodes();
        children = assigned.length > 0 ? assigned : [...node.childNodes];
      } else {
        const shell = node.cloneNode(false).outerHTML;
        const name = node.localName;
        if (empty.has(name)) {
          put(shell);
          continue;
        }
        const close = `</${name}>`;
        put(shell.endsWith(close) ? shell.slice(0, -close.length) : shell);
        work.push([close, true]);
        if (node.tagName === "TEMPLATE") continue;
        children = [...(node.shadowRoot ?? node).childNodes];
      }
      for (const child of children.reverse()) work.push([child, false]);
    }
    html = parts.join("");
  }
  try {
    sessionStorage.clear();
  } catch {}
  const doctype = document.doctype ? "<!DOCTYPE html>" : "";
  return { html: doctype + html.slice(0, longest), cut: html.length > longest };
})
