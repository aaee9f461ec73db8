// What needs attention: broken links with the pages they are on, slow and large pages, redirects.
const lists = (() => {
  function rows(keep) {
    const kept = [];
    for (let row = 0; row < store.count; row++) if (keep(row)) kept.push(row);
    return kept;
  }
  function nothing(box, words) { box.append(el('p', {class: 'empty'}, words)); }

  function broken() {
    const failed = rows(row => store.group[row] === 'failed');
    const entries = failed.map(row => ({row, on: linkedFrom(store.id[row])})).sort((a, b) => b.on.length - a.on.length);
    by('broken-count').textContent = failed.length ? plural(failed.length, 'URL', 'URLs') + ', most linked first' : '';
    if (!failed.length) return nothing(by('broken'), rows(row => store.group[row] !== 'skipped').length ? 'None. All pages were fetched successfully.' : 'None. No pages were fetched.');
    by('broken').append(growing(el('ul', {class: 'list'}), entries, ({row, on}) => {
      const inner = el('ul', {class: 'pages'});
      const box = el('div', {class: 'fold', hidden: true}, inner);
      const fold = el('button', {class: 'amount to', type: 'button', 'aria-expanded': 'false', on: {click: () => {
        if (!inner.firstChild) box.replaceChildren(growing(inner, on, id => el('li', {}, pageButton(id)), 20));
        box.hidden = !box.hidden;
        fold.setAttribute('aria-expanded', String(!box.hidden));
      }}}, 'on ' + plural(on.length, 'page', 'pages'));
      return el('li', {}, badge(row),
        el('span', {}, pageButton(store.id[row]), ' ', el('span', {class: 'why'}, store.texts[store.note[row]])),
        on.length ? fold : el('span'), box);
    }, 12));
  }

  function top(box, valueOf, show, words) {
    const kept = rows(row => valueOf(row) > 0).sort((a, b) => valueOf(b) - valueOf(a)).slice(0, 100);
    if (!kept.length) return nothing(box, words);
    box.append(growing(el('ul', {class: 'list plain'}), kept,
      row => el('li', {}, el('span', {}, pageButton(store.id[row])), el('span', {class: 'amount'}, show(row))), 8));
  }

  function redirects() {
    const kept = rows(row => store.outcome[row] === 2).sort((a, b) => store.inbound[b] - store.inbound[a]);
    by('redirects-count').textContent = kept.length ? plural(kept.length, 'URL redirects', 'URLs redirect') : '';
    if (!kept.length) return nothing(by('redirects'), 'None.');
    by('redirects').append(growing(el('ul', {class: 'list'}), kept, row => el('li', {}, badge(row),
      el('span', {}, pageButton(store.id[row]), el('span', {class: 'arrow'}, '→ ', store.redirect[row] >= 0 ? pageButton(store.redirect[row]) : '')),
      el('span', {class: 'amount why'}, 'linked from ' + plural(store.inbound[row], 'page', 'pages'))), 8));
  }

  return {draw() {
    broken();
    top(by('slowest'), row => store.ms[row], row => duration(store.ms[row]) + (store.status[row] ? '' : ', no response'), 'No response times.');
    top(by('largest'), row => store.bytes[row], row => bytes(store.bytes[row]), 'No response bodies.');
    redirects();
  }};
})();
