// What the graph shows: pages, or for a large site its folders. Fifty thousand dots are unreadable; a hundred folders are
// not, and each opens into its pages.
const graphModel = (() => {
  const MAX_PAGES = 1200, MAX_FOLDERS = 80;

  function folderPath(id) {
    const url = store.urls[id].split('?', 1)[0];
    const from = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
    const head = url.slice(0, Math.max(0, from));
    const path = url.slice(Math.max(0, from), url.lastIndexOf('/') + 1);
    return [head + '/', ...path.split('/').filter(Boolean)];
  }
  function section(id) {
    const url = store.urls[id].split('?', 1)[0];
    if (!url.startsWith('/')) return url.split('/')[2] || url;
    const parts = url.split('/');
    return parts.length > 2 ? '/' + parts[1] + '/' : '/';
  }
  // The largest sections get a color of their own.
  function palette(rows) {
    const sizes = new Map();
    for (const row of rows) { const name = section(store.id[row]); sizes.set(name, (sizes.get(name) || 0) + 1); }
    const named = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([name]) => name);
    return {named, rest: sizes.size > 8, of: id => { const at = named.indexOf(section(id)); return at < 0 ? 8 : at; }};
  }

  // The most linked pages, each with the pages through which it was found, so that the graph is connected.
  function chosen(rows) {
    if (rows.length <= MAX_PAGES) return rows;
    const among = new Set(rows), kept = new Set();
    for (const row of [...rows].sort((a, b) => store.inbound[b] - store.inbound[a] || a - b)) {
      const chain = [];
      for (let at = row; at >= 0 && among.has(at) && !kept.has(at) && chain.length < 60; at = store.via[at] >= 0 ? store.rowOf[store.via[at]] : -1) chain.push(at);
      if (kept.size + chain.length <= MAX_PAGES) chain.forEach(at => kept.add(at));
      if (kept.size >= MAX_PAGES) break;
    }
    return [...kept].sort((a, b) => a - b);
  }

  function pages(rows, name) {
    const kept = chosen(rows), colors = palette(kept), place = new Map(kept.map((row, at) => [row, at]));
    const nodes = kept.map(row => {
      const url = store.urls[store.id[row]], bare = url.split('?', 1)[0].replace(/\/$/, '');
      return {row, title: url, label: decode(bare.slice(bare.lastIndexOf('/') + 1)) || url, color: colors.of(store.id[row]),
        size: 3 + Math.min(11, Math.sqrt(store.inbound[row]) * .9), failed: store.group[row] === 'failed' ? 1 : 0,
        hollow: store.group[row] !== 'ok' && store.group[row] !== 'failed', parent: -1};
    });
    const edges = [];
    kept.forEach((row, at) => {
      const via = store.via[row] >= 0 ? place.get(store.rowOf[store.via[row]]) : undefined;
      if (via !== undefined && via !== at) nodes[at].parent = via;
      for (const id of store.out.list(store.id[row])) {
        const to = place.get(store.rowOf[id]);
        if (to !== undefined && to !== at) edges.push([at, to, 1]);
      }
    });
    const note = kept.length < rows.length
      ? 'showing ' + number(kept.length) + ' of ' + number(rows.length) + ' URLs' + name + ': the most linked'
      : 'all ' + plural(rows.length, 'URL', 'URLs') + name;
    return {kind: 'pages', nodes, edges, colors, note};
  }
  function decode(text) { try { return decodeURIComponent(text); } catch { return text; } }

  // Folders; the largest are split further up to the maximum number.
  function folders() {
    const root = {path: [], kids: new Map(), own: [], all: 0};
    for (let row = 0; row < store.count; row++) {
      let at = root;
      at.all++;
      for (const part of folderPath(store.id[row])) {
        let kid = at.kids.get(part);
        if (!kid) at.kids.set(part, kid = {path: [...at.path, part], kids: new Map(), own: [], all: 0});
        at = kid;
        at.all++;
      }
      at.own.push(row);
    }
    const open = new Set([root]);
    let count = root.kids.size, edge = [...root.kids.values()];
    while (edge.length) {
      edge.sort((a, b) => b.all - a.all);
      const next = edge.findIndex(folder => folder.kids.size && count + folder.kids.size <= MAX_FOLDERS);
      if (next < 0) break;
      const [folder] = edge.splice(next, 1);
      open.add(folder);
      count += folder.kids.size;
      edge.push(...folder.kids.values());
    }
    const nodes = [], nodeOf = new Int32Array(store.count).fill(-1);
    (function walk(folder, parent) {
      let at = parent;
      if (folder !== root) {
        at = nodes.length;
        const rows = open.has(folder) ? folder.own : gather(folder, []);
        const title = folder.path[0] + folder.path.slice(1).map(part => part + '/').join('');
        nodes.push({row: -1, rows, title, label: folder.path.length > 1 ? decode(folder.path[folder.path.length - 1]) + '/' : title, size: 5 + Math.min(34, Math.sqrt(rows.length) * .42),
          failed: 0, hollow: !rows.length, parent, in: 0, out: 0, inner: open.has(folder) ? 0 : folder.kids.size});
        for (const row of rows) { nodeOf[row] = at; if (store.group[row] === 'failed') nodes[at].failed++; }
      }
      if (open.has(folder)) for (const kid of folder.kids.values()) walk(kid, at);
    })(root, -1);
    const sums = new Map();
    for (let edge = 0; edge < store.from.length; edge++) {
      const from = store.rowOf[store.from[edge]], to = store.rowOf[store.to[edge]];
      if (from < 0 || to < 0) continue;
      const a = nodeOf[from], b = nodeOf[to];
      if (a === b) continue;
      nodes[a].out++;
      nodes[b].in++;
      const key = a * nodes.length + b;
      sums.set(key, (sums.get(key) || 0) + 1);
    }
    const edges = [...sums].map(([key, count]) => [Math.floor(key / nodes.length), key % nodes.length, count]).sort((a, b) => b[2] - a[2]);
    const colors = palette([...Array(store.count).keys()]);
    for (const node of nodes) {
      const parts = node.title.split('/');
      const name = node.title.startsWith('/') ? (parts.length > 2 ? '/' + parts[1] + '/' : '/') : parts[2];
      const at = colors.named.indexOf(name);
      node.color = at < 0 ? 8 : at;
    }
    return {kind: 'folders', nodes, edges, colors, note: 'all ' + number(store.count) + ' URLs in ' + plural(nodes.length, 'folder', 'folders')};
  }
  function gather(folder, rows) {
    for (const row of folder.own) rows.push(row);
    for (const kid of folder.kids.values()) gather(kid, rows);
    return rows;
  }
  // Whether nearly all pages are in one folder: drawn as folders it would be one large dot.
  function isFlat() {
    const sizes = new Map();
    let most = 0;
    for (let row = 0; row < store.count; row++) {
      const name = folderPath(store.id[row]).join('/'), size = (sizes.get(name) || 0) + 1;
      sizes.set(name, size);
      most = Math.max(most, size);
    }
    return most > store.count * .9;
  }
  return {pages, folders, isFlat, MAX_PAGES};
})();
