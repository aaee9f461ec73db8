// Elements from code. Text from the web only ever becomes a text node or an attribute's value.
function el(tag, facts, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(facts || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else if (name === 'style') Object.assign(node.style, value);
    else if (name === 'class') node.className = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return node;
}
function by(id) { return document.getElementById(id); }
function badge(row) { return el('span', {class: 'badge ' + toneOf(row)}, statusText(row)); }
// A URL that opens its details, if it is a page of the report.
function pageButton(id) {
  const row = store.rowOf[id];
  if (row < 0) return el('span', {class: 'url'}, shortUrl(id));
  return el('button', {class: 'to url', type: 'button', on: {click: () => details.show(row)}}, shortUrl(id));
}
// A list that shows its first entries, and more on request.
function growing(list, entries, make, first) {
  let shown = 0;
  const box = el('div', {}, list);
  const more = el('button', {class: 'more', type: 'button', on: {click: () => grow(100)}});
  function grow(by) {
    const until = Math.min(entries.length, shown + by);
    while (shown < until) list.append(make(entries[shown++]));
    more.textContent = 'Show more (' + number(entries.length - shown) + ' left)';
    if (shown < entries.length) box.append(more); else more.remove();
  }
  // A button to show the last few entries would take as much space as the entries.
  grow(entries.length <= first + 3 ? entries.length : first);
  return box;
}
function color(name) { return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim(); }
