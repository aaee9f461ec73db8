// All pages, searchable and sortable. Only the rows in view are in the DOM, so the number of pages does not matter.
const table = (() => {
  const MAX_HEIGHT = 8e6; // browsers stop placing elements correctly somewhere above this
  const FIELDS = [
    {name: 'Status', class: '', value: row => store.status[row]},
    {name: 'URL', class: '', value: row => store.urls[store.id[row]]},
    {name: 'Depth', class: 'num mid', value: row => store.depth[row]},
    {name: 'Type', class: 'wide', value: row => store.texts[store.kind[row]]},
    {name: 'Size', class: 'num mid', value: row => store.bytes[row]},
    {name: 'Time', class: 'num', value: row => store.ms[row]},
    {name: 'Links', class: 'num wide', value: row => store.links[row]},
    {name: 'Linked', class: 'num wide', value: row => store.inbound[row]},
  ];
  const filters = new Map();
  let haystack, shown = [], sort = null, down = false, active = -1, win, space, heads, pending = 0;

  function build() {
    haystack = Array.from({length: store.count}, (_, row) => (store.urls[store.id[row]] + ' ' + store.texts[store.note[row]]).toLowerCase());
    heads = FIELDS.map(field => el('div', {class: field.class, role: 'columnheader', 'aria-sort': 'none'},
      el('button', {type: 'button', on: {click: () => sortBy(field)}}, field.name)));
    space = el('div');
    win = el('div', {class: 'win', tabindex: '0', role: 'rowgroup', 'aria-label': 'Pages. Arrow keys move, Enter opens.', on: {scroll: later, keydown: key}}, space);
    by('table').append(el('div', {class: 'vt', role: 'grid', 'aria-label': 'All pages', 'aria-rowcount': store.count}, el('div', {class: 'r hd', role: 'row'}, heads), win));
    let typing;
    by('search').addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(search, 80); });
    by('outcome').addEventListener('change', () => only('outcome', by('outcome').value, null, row => store.group[row] === by('outcome').value));
    addEventListener('resize', later);
    apply();
  }

  function search() {
    const words = by('search').value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    set('search', words.length ? {test: row => words.every(word => haystack[row].includes(word))} : null);
  }
  function set(name, filter) {
    if (filter) filters.set(name, filter); else filters.delete(name);
    apply();
  }
  // Filters by a chart's bar and scrolls to the table. The same bar again removes the filter.
  function only(name, key, label, test) {
    const before = filters.get(name);
    set(name, key === '' || before && before.key === key && label ? null : {key, label, test});
    if (label) by('pages').scrollIntoView({block: 'start'});
  }

  function apply() {
    const tests = [...filters.values()].map(filter => filter.test);
    shown = [];
    for (let row = 0; row < store.count; row++) if (tests.every(test => test(row))) shown.push(row);
    if (sort) {
      const values = new Array(store.count);
      for (const row of shown) values[row] = sort.value(row);
      const sign = down ? -1 : 1;
      shown.sort((a, b) => values[a] < values[b] ? -sign : values[a] > values[b] ? sign : a - b);
    }
    by('table-count').textContent = shown.length === store.count ? number(store.count) : number(shown.length) + ' of ' + number(store.count);
    by('chips').replaceChildren(...[...filters].filter(([, filter]) => filter.label).map(([name, filter]) =>
      el('button', {type: 'button', 'aria-label': 'Remove filter ' + filter.label, on: {click: () => set(name, null)}}, filter.label + ' ×')));
    active = -1;
    win.scrollTop = 0;
    render();
  }
  function sortBy(field) {
    const numeric = field.class.includes('num');
    if (sort !== field) { sort = field; down = numeric; }
    else if (down === numeric) down = !down;
    else sort = null;
    heads.forEach((head, at) => head.setAttribute('aria-sort', FIELDS[at] !== sort ? 'none' : down ? 'descending' : 'ascending'));
    apply();
  }

  function later() { if (!pending) pending = requestAnimationFrame(() => { pending = 0; render(); }); }
  function rowHeight() { return innerWidth <= 640 ? 40 : 34; }
  function render() {
    const high = rowHeight(), view = innerWidth <= 640 ? 480 : 544, all = shown.length * high, tall = Math.min(all, MAX_HEIGHT);
    space.style.height = tall + 'px';
    // If the list is taller than browsers support, the scroll position is scaled.
    const ratio = tall > view ? (all - view) / (tall - view) : 1;
    const offset = win.scrollTop * ratio;
    const first = Math.max(0, Math.floor(offset / high) - 4);
    const last = Math.min(shown.length, Math.ceil((offset + view) / high) + 4);
    heads[0].parentNode.style.paddingRight = 10 + win.offsetWidth - win.clientWidth + 'px';
    const rows = [];
    for (let at = first; at < last; at++) rows.push(line(at, win.scrollTop + at * high - offset));
    if (!shown.length) rows.push(el('p', {class: 'empty', style: {padding: '14px'}}, 'No matching pages.'));
    win.replaceChildren(space, ...rows);
  }
  function line(at, top) {
    const row = shown[at], note = store.texts[store.note[row]];
    const cells = [badge(row),
      el('span', {class: 'url', title: fullUrl(store.id[row])}, shortUrl(store.id[row]), note ? el('span', {class: 'why'}, note) : null),
      number(store.depth[row]), store.texts[store.kind[row]], store.bytes[row] ? bytes(store.bytes[row]) : '', store.status[row] || store.ms[row] ? duration(store.ms[row]) : '', number(store.links[row]), number(store.inbound[row])];
    return el('div', {class: at === active ? 'r on' : 'r', role: 'row', 'aria-rowindex': at + 2, style: {top: top + 'px'}, on: {click: () => { active = at; details.show(row); later(); }}},
      cells.map((cell, field) => el('div', {class: 'cell ' + FIELDS[field].class, role: 'gridcell'}, cell)));
  }
  function key(event) {
    const page = Math.floor(win.clientHeight / rowHeight()) - 1;
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity}[event.key];
    if (step) {
      event.preventDefault();
      active = Math.max(0, Math.min(shown.length - 1, active + step));
      reveal();
    } else if (event.key === 'Enter' && active >= 0) details.show(shown[active]);
  }
  function reveal() {
    const high = rowHeight(), view = win.clientHeight, all = shown.length * high, tall = Math.min(all, MAX_HEIGHT);
    const ratio = tall > view ? (all - view) / (tall - view) : 1;
    const offset = win.scrollTop * ratio, top = active * high;
    if (top < offset) win.scrollTop = top / ratio;
    else if (top + high > offset + view) win.scrollTop = (top + high - view) / ratio;
    render();
  }
  return {build, only, set};
})();
