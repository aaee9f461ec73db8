// The data of the report. Chunks call `chunk`; everything else reads `store` once `settle` has run.
// Stored in columns, not objects: fifty thousand pages are a dozen arrays.
const COLUMNS = ['id', 'via', 'status', 'depth', 'outcome', 'found', 'kind', 'bytes', 'ms', 'attempts', 'links', 'external', 'note', 'redirect', 'truncated', 'rendered', 'render_reason'];
const FOUND = ['the start', 'a link', 'a redirect', 'a sitemap'];
const store = {about: {seed: '', origin: '', version: '', config: '', started: 0}, end: null, urls: [], texts: [''], count: 0, from: [], to: []};
for (const name of COLUMNS) store[name] = [];
const textNumbers = new Map([['', 0]]);

function about(facts) { store.about = facts; }
function finished(facts) { store.end = facts; }

function chunk({s, t, p, e}) {
  for (const url of s) store.urls.push(url);
  const texts = [0];
  for (const text of t) {
    let number = textNumbers.get(text);
    if (number === undefined) {
      number = store.texts.push(text) - 1;
      textNumbers.set(text, number);
    }
    texts.push(number);
  }
  const width = COLUMNS.length;
  for (let at = 0; at < p.length; at += width) {
    for (let column = 0; column < width; column++) store[COLUMNS[column]].push(p[at + column]);
    const row = store.count++;
    store.via[row] -= 1;
    store.redirect[row] -= 1;
    store.kind[row] = texts[store.kind[row]];
    store.note[row] = texts[store.note[row]];
    store.render_reason[row] = texts[store.render_reason[row]];
  }
  let from = 0;
  for (const number of e) {
    if (number < 0) { from = -number - 1; continue; }
    store.from.push(from);
    store.to.push(number);
  }
}

// Builds the indexes that need all pages: the row of each URL, and the links between them.
function settle() {
  const urls = store.urls.length;
  store.rowOf = new Int32Array(urls).fill(-1);
  for (let row = 0; row < store.count; row++) store.rowOf[store.id[row]] = row;
  store.out = neighbors(urls, store.from, store.to);
  store.into = neighbors(urls, store.to, store.from);
  store.inbound = new Int32Array(store.count);
  for (let row = 0; row < store.count; row++) store.inbound[row] = store.into.list(store.id[row]).length;
  store.group = new Array(store.count);
  for (let row = 0; row < store.count; row++) store.group[row] = groupOf(row);
}

// All neighbors of all URLs in two flat arrays.
function neighbors(urls, from, to) {
  const start = new Int32Array(urls + 1);
  for (const id of from) start[id + 1]++;
  for (let id = 0; id < urls; id++) start[id + 1] += start[id];
  const next = start.slice(0, urls);
  const all = new Int32Array(from.length);
  for (let edge = 0; edge < from.length; edge++) all[next[from[edge]]++] = to[edge];
  return {list: id => all.subarray(start[id], start[id + 1])};
}

// The group a page is counted in.
function groupOf(row) { return ['ok', 'ok', 'redirect', 'skipped', 'failed', 'skipped'][store.outcome[row]]; }
// The color of a page: its group, except that pages other than HTML have their own.
function toneOf(row) { return store.outcome[row] === 1 ? 'other' : store.group[row]; }
function statusText(row) {
  if (store.status[row]) return String(store.status[row]);
  if (store.outcome[row] === 5) return 'trap';
  return store.group[row] === 'skipped' ? 'robots' : store.group[row] === 'failed' ? 'error' : '–';
}
function shortUrl(id) { return store.urls[id]; }
function fullUrl(id) {
  const url = store.urls[id];
  return url.startsWith('/') ? store.about.origin + url : url;
}
// The pages a URL is linked from; the page it was found on counts even if edges were left out.
function linkedFrom(id) {
  const ids = new Set(store.into.list(id));
  const row = store.rowOf[id];
  if (row >= 0 && store.via[row] >= 0 && store.found[row] !== 3) ids.add(store.via[row]);
  return [...ids];
}
