// Bars and columns. Each is a button: it filters the table to what it stands for.
const charts = (() => {
  const TONES = ['ok', 'other', 'redirect', 'skipped', 'failed'];

  function bars(box, entries, whole) {
    const most = Math.max(1, ...entries.map(entry => entry.value));
    box.append(el('div', {class: 'rows'}, entries.map(entry => el('button',
      {type: 'button', title: entry.label + ': ' + number(entry.value), on: {click: entry.pick}},
      el('span', {class: 'name'}, entry.label),
      el('span', {class: 'track'}, el('i', {style: {width: entry.value / most * 100 + '%', background: 'var(--' + entry.tone + ')'}})),
      el('span', {class: 'value'}, number(entry.value), ' ', el('small', {}, percent(entry.value, whole))),
    ))));
  }

  function columns(box, entries) {
    const most = Math.max(1, ...entries.map(entry => entry.value));
    box.append(el('div', {class: 'cols'}, entries.map(entry => el('button',
      {type: 'button', title: entry.title, 'aria-label': entry.title, on: {click: entry.pick}},
      el('span', {class: 'top'}, entry.value ? number(entry.value) : ''),
      el('span', {class: 'stack', style: {height: entry.value / most * 132 + 'px'}},
        entry.parts.filter(part => part.value).map(part => el('i', {style: {flex: part.value + ' 1 0', background: 'var(--' + part.tone + ')'}}))),
      el('span', {class: 'foot'}, entry.label),
    ))));
  }

  // Adds up the rows by what `keyOf` says, split by tone.
  function tally(keyOf) {
    const sums = new Map();
    for (let row = 0; row < store.count; row++) {
      const key = keyOf(row);
      if (key === null) continue;
      let sum = sums.get(key);
      if (!sum) sums.set(key, sum = {key, value: 0, tones: {}});
      sum.value++;
      const tone = toneOf(row);
      sum.tones[tone] = (sum.tones[tone] || 0) + 1;
    }
    return [...sums.values()];
  }
  function parts(sum) { return TONES.map(tone => ({tone, value: sum.tones[tone] || 0})); }

  function status() {
    const sums = tally(statusText).sort((a, b) => b.value - a.value).slice(0, 9);
    bars(by('by-status'), sums.map(sum => ({
      label: statusLabel(sum.key), value: sum.value,
      tone: TONES.reduce((best, tone) => (sum.tones[tone] || 0) > (sum.tones[best] || 0) ? tone : best, 'ok'),
      pick: () => table.only('status', sum.key, 'status ' + sum.key, row => statusText(row) === sum.key),
    })), store.count);
  }
  function statusLabel(key) {
    const words = {200: 'OK', 301: 'moved', 302: 'found', 303: 'see other', 307: 'temporary', 308: 'permanent', 400: 'bad request', 401: 'unauthorised', 403: 'forbidden', 404: 'not found', 410: 'gone', 429: 'rate limited', 500: 'server error', 502: 'bad gateway', 503: 'unavailable', 504: 'timeout'}[key];
    return key === 'robots' ? 'not fetched (robots)' : key === 'error' ? 'no answer' : words ? key + ' ' + words : key;
  }

  function depth() {
    const deepest = 11;
    const sums = tally(row => Math.min(store.depth[row], deepest)).sort((a, b) => a.key - b.key);
    columns(by('by-depth'), sums.map(sum => {
      const label = sum.key === deepest ? deepest + '+' : String(sum.key);
      return {label, value: sum.value, parts: parts(sum), title: 'depth ' + label + ': ' + plural(sum.value, 'page', 'pages'),
        pick: () => table.only('depth', sum.key, 'depth ' + label, row => Math.min(store.depth[row], deepest) === sum.key)};
    }));
  }

  function time() {
    const edges = [50, 100, 200, 400, 800, 1600, 3200, Infinity];
    const names = ['50 ms', '100', '200', '400', '800', '1.6 s', '3.2'];
    const slot = row => store.status[row] ? edges.findIndex(edge => store.ms[row] < edge) : null;
    const sums = new Map(tally(slot).map(sum => [sum.key, sum]));
    columns(by('by-time'), edges.map((edge, at) => {
      const sum = sums.get(at) || {value: 0, tones: {}};
      const label = at === edges.length - 1 ? 'more' : '<' + names[at];
      return {label, value: sum.value, parts: parts(sum), title: (at ? duration(edges[at - 1]) + ' to ' : 'under ') + (edge === Infinity ? 'any time' : duration(edge)) + ': ' + plural(sum.value, 'page', 'pages'),
        pick: () => table.only('time', at, 'time ' + label, row => slot(row) === at)};
    }));
  }

  function type() {
    const sums = tally(row => store.status[row] ? store.kind[row] : null).sort((a, b) => b.value - a.value);
    const top = sums.slice(0, 7);
    const whole = sums.reduce((all, sum) => all + sum.value, 0);
    const entries = top.map(sum => {
      const label = store.texts[sum.key] || 'not named';
      return {label, value: sum.value, tone: /html/.test(label) ? 'ok' : 'other',
        pick: () => table.only('type', sum.key, label, row => store.status[row] && store.kind[row] === sum.key)};
    });
    const rest = sums.slice(7);
    if (rest.length) {
      const keys = new Set(rest.map(sum => sum.key));
      entries.push({label: plural(rest.length, 'other type', 'other types'), value: rest.reduce((all, sum) => all + sum.value, 0), tone: 'skipped',
        pick: () => table.only('type', 'rest', 'other types', row => store.status[row] && keys.has(store.kind[row]))});
    }
    bars(by('by-type'), entries, whole);
  }

  return {draw() { status(); depth(); time(); type(); }};
})();
