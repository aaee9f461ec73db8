// One page, or one folder, in a drawer.
const details = (() => {
  let before = null;
  function open(label, ...children) {
    const drawer = by('drawer');
    if (drawer.hidden) before = document.activeElement;
    drawer.replaceChildren(el('button', {class: 'close', type: 'button', 'aria-label': 'Close', on: {click: close}}, '×'), ...children.flat());
    drawer.setAttribute('aria-label', label);
    drawer.hidden = false;
    drawer.scrollTop = 0;
    drawer.focus({preventScroll: true});
  }
  function close() {
    by('drawer').hidden = true;
    graph.select(-1);
    if (before && before.isConnected) before.focus({preventScroll: true});
  }
  addEventListener('keydown', event => { if (event.key === 'Escape' && !by('drawer').hidden) close(); });

  function facts(pairs) {
    return el('dl', {}, pairs.filter(pair => pair && pair[1] !== '').flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
  }
  function urls(title, ids) {
    if (!ids.length) return [];
    return [el('h3', {}, title + ' ' + number(ids.length)), growing(el('ul'), ids, id => el('li', {}, pageButton(id)), 15)];
  }
  // The path from the start page to this page, by the links through which it was found.
  function trail(row) {
    const ids = [];
    for (let at = row, steps = 0; at >= 0 && steps < 50; steps++) {
      ids.unshift(store.id[at]);
      at = store.via[at] >= 0 ? store.rowOf[store.via[at]] : -1;
    }
    return ids;
  }

  function show(row) {
    const id = store.id[row], found = trail(row), short = store.end && store.end.edgesLeftOut > 0;
    const words = {ok: store.outcome[row] === 1 ? 'fetched, not HTML' : 'fetched', redirect: 'redirected', failed: 'failed', skipped: 'skipped'}[store.group[row]];
    open('Page ' + shortUrl(id), el('p', {class: 'name'}, fullUrl(id)), el('p', {style: {margin: 0}}, badge(row), ' ', words),
      facts([
        ['Why', store.texts[store.note[row]]],
        store.redirect[row] >= 0 ? ['Goes to', pageButton(store.redirect[row])] : null,
        ['Depth', number(store.depth[row])],
        ['Found by', FOUND[store.found[row]]],
        ['Type', store.texts[store.kind[row]]],
        store.status[row] ? ['Size', bytes(store.bytes[row]) + (store.truncated[row] ? ', truncated' : '')] : null,
        store.status[row] || store.ms[row] ? ['Time', duration(store.ms[row])] : null,
        store.render_reason[row] ? ['Rendered', (store.rendered[row] ? 'yes' : 'no') + ' (' + store.texts[store.render_reason[row]] + ')'] : null,
        store.attempts[row] > 1 ? ['Attempts', number(store.attempts[row])] : null,
        store.status[row] ? ['Links', number(store.links[row]) + (store.external[row] ? ', ' + number(store.external[row]) + ' out of scope' : '')] : null,
      ]),
      el('div', {class: 'acts'}, el('a', {class: 'act', href: fullUrl(id), target: '_blank', rel: 'noopener noreferrer'}, 'Open page'),
        graph.has(row) ? el('button', {class: 'act', type: 'button', on: {click: () => graph.reveal(row)}}, 'Show in graph') : null),
      found.length > 1 ? [el('h3', {}, 'How it was found'), el('ul', {class: 'trail'}, found.slice(0, -1).map(step => el('li', {}, pageButton(step))))] : '',
      ...[].concat(urls('Linked from', linkedFrom(id)), urls('Links to', [...store.out.list(id)])),
      short ? el('p', {class: 'hint', style: {marginTop: '12px'}}, 'The graph is capped: some links are not listed.') : '');
    graph.select(row);
  }

  function folder(node, pages) {
    open('Folder ' + node.label, el('p', {class: 'name'}, node.title),
      facts([['Pages', number(node.rows.length)], ['Broken', node.failed ? number(node.failed) : 'none'], ['Links out', number(node.out)], ['Links in', number(node.in)]]),
      el('div', {class: 'acts'},
        el('button', {class: 'act', type: 'button', on: {click: () => { close(); pages(); }}}, 'Show pages in graph'),
        el('button', {class: 'act', type: 'button', on: {click: () => {
          const rows = new Set(node.rows);
          close();
          table.only('folder', node.title, 'below ' + node.label, row => rows.has(row));
        }}}, 'List pages')),
      ...urls('Most linked pages', [...node.rows].sort((a, b) => store.inbound[b] - store.inbound[a]).slice(0, 100).map(row => store.id[row])));
  }
  return {show, folder, close};
})();
