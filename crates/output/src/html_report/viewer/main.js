// Draws the report once all chunks are read.
const main = (() => {
  function totals() {
    const sums = {pages: 0, ok: 0, other: 0, redirect: 0, failed: 0, skipped: 0, links: 0, bytes: 0, times: []};
    for (let row = 0; row < store.count; row++) {
      sums[toneOf(row)]++;
      if (store.group[row] !== 'skipped') sums.pages++;
      sums.links += store.links[row];
      sums.bytes += store.bytes[row];
      if (store.status[row]) sums.times.push(store.ms[row]);
    }
    sums.times.sort((a, b) => a - b);
    return sums;
  }

  function head(sums) {
    const {seed, started, version, config} = store.about, end = store.end;
    const url = new URL(seed);
    by('site').textContent = url.host + (url.pathname === '/' ? '' : url.pathname);
    const broken = [];
    for (let row = 0; row < store.count; row++) if (store.group[row] === 'failed') broken.push(row);
    const on = new Set(broken.flatMap(row => linkedFrom(store.id[row])));
    const pace = end && end.elapsed > 0 ? ' in ' + duration(end.elapsed) + (end.elapsed > 1000 && sums.pages > 20 ? ', ' + number(Math.round(sums.pages / end.elapsed * 1000)) + ' per second' : '') : '';
    by('lede').replaceChildren(el('b', {}, plural(sums.pages, 'page', 'pages')), pace + '. ',
      ...(broken.length
        ? [el('b', {class: 'bad'}, plural(broken.length, 'URL is', 'URLs are') + ' broken'), on.size ? ', linked from ' + plural(on.size, 'page', 'pages') + '.' : '.']
        : [sums.pages && !(end && end.seedProblem) ? 'No broken links.' : '']));
    const left = end ? caveats(end) : [];
    by('facts').textContent = [moment(started), end && !left.length ? 'all reachable pages were visited' : null].filter(Boolean).join(' · ');
    if (left.length) by('caveats').append(...left.map((words, at) => el('li', {class: at === 0 && end.seedProblem ? 'bad' : ''}, words)));
    by('config').textContent = ['crawler ' + version, config].filter(Boolean).join(' · ');
  }

  function notes() {
    const note = words => by('notes').append(el('p', {class: 'note'}, words));
    if (!store.end) note('This report is incomplete: the crawl is still running or was interrupted.');
    else if (store.end.edgesLeftOut) note('The graph is capped: ' + plural(store.end.edgesLeftOut, 'link between pages is', 'links between pages are') + ' left out. Link counts of pages are complete; “linked from” is not.');
  }

  function tiles(sums) {
    const middle = sums.times.length ? duration(sums.times[sums.times.length >> 1]) : '–';
    const entries = [['Pages', number(sums.pages)], ['Fetched', number(sums.ok + sums.other), 'ok'], ['Redirects', number(sums.redirect), 'redirect'], ['Failed', number(sums.failed), 'failed'],
      ['Skipped', number(sums.skipped), 'skipped'], ['Links', number(sums.links)], ['Transferred', bytes(store.end ? store.end.bytes || sums.bytes : sums.bytes)], ['Median time', middle]];
    const legend = (tone, name) => el('span', {}, tone ? el('i', {style: {background: 'var(--' + tone + ')'}}) : null, name);
    by('tiles').append(...entries.map(([name, value, tone]) => el('div', {class: tone === 'failed' && sums.failed ? 'tile bad' : 'tile'}, el('b', {}, value), legend(tone, name),
      tone === 'ok' && sums.other ? [el('br'), legend('other', number(sums.other) + ' not HTML')] : null)));
    const shares = [['ok', 'HTML pages'], ['other', 'other files'], ['redirect', 'redirects'], ['skipped', 'skipped'], ['failed', 'failed']].filter(([tone]) => sums[tone]);
    by('share').append(...shares.map(([tone]) => el('i', {style: {flex: sums[tone] + ' 1 0', background: 'var(--' + tone + ')'}})));
    const words = shares.map(([tone, name]) => number(sums[tone]) + ' ' + name).join(', ');
    by('share').setAttribute('aria-label', words);
    by('share').title = words;
  }

  function draw() {
    const start = performance.now();
    settle();
    const sums = totals();
    head(sums);
    notes();
    tiles(sums);
    charts.draw();
    lists.draw();
    table.build();
    document.documentElement.dataset.drawn = Math.round(performance.now() - start) + ' of ' + Math.round(performance.now());
    // The graph takes longest, so it is drawn last.
    setTimeout(graph.build, 30);
  }
  return {draw};
})();
document.addEventListener('DOMContentLoaded', main.draw);
