// Bar and column charts. Each bar is a button that filters the table.
const charts = (() => {
  const TONES = ['ok', 'other', 'redirect', 'skipped', 'failed'];
  const MAX_STATUSES = 8;

  function bars(box, entries, whole) {
    const most = Math.max(1, ...entries.map(entry => entry.value));
    box.append(el('div', {class: 'rows'}, entries.map(entry => el('button',
      {type: 'button', title: entry.label + ': ' + (entry.more || number(entry.value)), on: {click: entry.pick}},
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

  // Counts the rows by `keyOf`, split by tone.
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
    const sums = tally(statusText), shown = chosen(sums), rest = sums.filter(sum => !shown.includes(sum));
    const entries = shown.sort((a, b) => b.value - a.value).map(sum => ({
      label: statusLabel(sum.key), value: sum.value, tone: mainTone(sum),
      pick: () => table.only('status', sum.key, 'status ' + sum.key, row => statusText(row) === sum.key),
    }));
    const isError = sum => mainTone(sum) === 'failed';
    others(rest.filter(isError), 'other error', 'other errors', 'failed');
    others(rest.filter(sum => !isError(sum)), 'other status', 'other statuses', 'skipped');
    bars(by('by-status'), entries, store.count);

    function others(some, one, many, tone) {
      if (!some.length) return;
      const keys = new Set(some.map(sum => sum.key));
      entries.push({label: plural(some.length, one, many), value: some.reduce((all, sum) => all + sum.value, 0), tone,
        more: some.sort((a, b) => b.value - a.value).map(sum => sum.key + ' × ' + number(sum.value)).join(', '),
        pick: () => table.only('status', many, many, row => keys.has(statusText(row)))});
    }
  }
  // With too many statuses to show, a failed page counts as much as ten others.
  function chosen(sums) {
    if (sums.length <= MAX_STATUSES + 2) return [...sums];
    const weight = sum => sum.value + (sum.tones.failed || 0) * 9;
    return [...sums].sort((a, b) => weight(b) - weight(a)).slice(0, MAX_STATUSES);
  }
  function mainTone(sum) { return TONES.reduce((best, tone) => (sum.tones[tone] || 0) > (sum.tones[best] || 0) ? tone : best, 'ok'); }
  function statusLabel(key) {
    const words = {200: 'OK', 301: 'moved', 302: 'found', 303: 'see other', 307: 'temporary', 308: 'permanent', 400: 'bad request', 401: 'unauthorized', 403: 'forbidden', 404: 'not found', 410: 'gone', 429: 'rate limited', 500: 'server error', 502: 'bad gateway', 503: 'unavailable', 504: 'timeout'}[key];
    return key === 'robots' ? 'not fetched (robots)' : key === 'trap' ? 'not fetched (trap)' : key === 'error' ? 'no response' : words ? key + ' ' + words : key;
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
    const edges = [50, 100, 200, 400, 800, 1600, 3200, Infinity], silent = edges.length;
    // Requests without a response have their own column: their time is only the timeout.
    const slot = row => store.group[row] === 'skipped' ? null : store.status[row] ? edges.findIndex(edge => store.ms[row] < edge) : silent;
    const sums = new Map(tally(slot).map(sum => [sum.key, sum]));
    const entry = (at, label, words) => {
      const sum = sums.get(at) || {value: 0, tones: {}};
      return {label, value: sum.value, parts: parts(sum), title: words + ': ' + plural(sum.value, 'page', 'pages'),
        pick: () => table.only('time', at, at === silent ? label : 'time ' + label, row => slot(row) === at)};
    };
    const entries = edges.map((edge, at) => {
      const from = at ? duration(edges[at - 1]) : '';
      if (edge === Infinity) return entry(at, '≥' + from, from + ' or more');
      return entry(at, '<' + duration(edge), (at ? from + ' to ' : 'under ') + duration(edge));
    });
    if (sums.has(silent)) entries.push(entry(silent, 'no response', 'no response'));
    columns(by('by-time'), entries);
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
    if (entries.length) bars(by('by-type'), entries, whole); else by('by-type').append(el('p', {class: 'empty'}, 'No responses.'));
  }

  return {draw() { status(); depth(); time(); type(); }};
})();
