// The site graph on a canvas: draws a model with its layout and handles mouse, touch and keyboard.
const graph = (() => {
  const MAX_LINES = 5000;
  let canvas, context, model = null, layout = null, running = false, frame = 0;
  let scale = 1, left = 0, top = 0, moved = false, over = -1, selected = -1, near = new Set(), colors = {};

  function build() {
    canvas = by('canvas');
    context = canvas.getContext('2d');
    readColors();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readColors(); draw(); });
    new ResizeObserver(() => { resize(); draw(); }).observe(by('stage'));
    by('stage').classList.toggle('small', store.count < 40);
    resize();
    listen();
    if (store.count > graphModel.MAX_PAGES && !graphModel.isFlat()) showFolders(); else showPages(null);
  }
  function readColors() {
    colors = {ink: color('ink'), soft: color('soft'), line: color('line'), card: color('card'), paper: color('paper'), failed: color('failed'), section: []};
    for (let at = 0; at < 9; at++) colors.section.push(color('s' + at));
  }

  function showFolders() { start(graphModel.folders()); tools('folders'); }
  function showPages(folder) {
    const rows = folder ? folder.rows : [...Array(store.count).keys()];
    start(graphModel.pages(rows, folder ? ' below ' + folder.title : ''));
    tools(folder ? 'below' : 'pages');
  }
  function tools(mode) {
    const button = (label, pressed, call, name) => el('button', {type: 'button', 'aria-pressed': pressed === null ? undefined : String(pressed), 'aria-label': name, on: {click: call}}, label);
    const modes = store.count > graphModel.MAX_PAGES ? [button('Folders', mode === 'folders', showFolders), button('Most linked pages', mode === 'pages', () => showPages(null))] : [];
    by('graph-tools').replaceChildren(...modes, button('−', null, () => zoom(1 / 1.4), 'Zoom out'), button('+', null, () => zoom(1.4), 'Zoom in'), button('Fit', null, () => { moved = false; fit(); draw(); }, 'Show everything'));
  }

  function start(next) {
    model = next;
    over = selected = -1;
    moved = false;
    layout = graphLayout(model, Math.max(.6, Math.min(1.8, canvas.clientWidth / Math.max(1, canvas.clientHeight))));
    by('graph-note').textContent = model.note + (model.kind === 'folders' ? '; red slices are broken pages' : model.edges.length > MAX_LINES ? '; lines show how pages were found, hover to see all links' : '');
    const named = model.colors.named.map((name, at) => el('li', {}, el('i', {style: {background: 'var(--s' + at + ')'}}), name));
    if (model.colors.rest) named.push(el('li', {}, el('i', {style: {background: 'var(--s8)'}}), 'elsewhere'));
    named.push(el('li', {}, el('i', {style: {background: 'var(--failed)'}}), 'broken'));
    if (model.kind === 'pages') named.push(el('li', {}, el('i', {class: 'hollow'}), 'redirected or skipped'));
    by('legend').replaceChildren(...named);
    running = true;
    // Run the layout for a short time before the first drawing, then animate the rest; with reduced motion, run it all at once.
    const budget = matchMedia('(prefers-reduced-motion: reduce)').matches ? 1500 : 250;
    work(budget);
    cancelAnimationFrame(frame);
    tick();
  }
  function work(budget) {
    const until = performance.now() + budget;
    while (running && performance.now() < until) running = layout.step();
  }
  function tick() {
    work(10);
    if (!moved) fit();
    draw();
    if (running) frame = requestAnimationFrame(tick);
  }

  function resize() {
    const box = by('stage').getBoundingClientRect(), dots = devicePixelRatio || 1;
    canvas.width = Math.round(box.width * dots);
    canvas.height = Math.round(box.height * dots);
    if (layout && !moved) fit();
  }
  function fit() {
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    model.nodes.forEach((node, at) => {
      x0 = Math.min(x0, layout.x[at] - node.size); x1 = Math.max(x1, layout.x[at] + node.size);
      y0 = Math.min(y0, layout.y[at] - node.size); y1 = Math.max(y1, layout.y[at] + node.size);
    });
    const wide = canvas.clientWidth, high = canvas.clientHeight;
    scale = Math.max(.02, Math.min(3, (wide - 70) / Math.max(1, x1 - x0), (high - 50) / Math.max(1, y1 - y0)));
    left = wide / 2 - (x0 + x1) / 2 * scale;
    top = high / 2 - (y0 + y1) / 2 * scale;
  }
  function zoom(by, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const next = Math.max(.05, Math.min(12, scale * by));
    left = x - (x - left) * next / scale;
    top = y - (y - top) * next / scale;
    scale = next;
    moved = true;
    draw();
  }

  function focusOn(at) {
    near = new Set();
    if (at >= 0) for (const [from, to] of model.edges) { if (from === at) near.add(to); else if (to === at) near.add(from); }
    if (at >= 0 && model.nodes[at].parent >= 0) near.add(model.nodes[at].parent);
  }
  function line(from, to) {
    context.moveTo(layout.x[from], layout.y[from]);
    context.lineTo(layout.x[to], layout.y[to]);
  }
  // The position of a node on the stage.
  function onStage(at) { return [layout.x[at] * scale + left, layout.y[at] * scale + top]; }
  // Shrinks when zoomed out, but never below a size that can be clicked.
  function radius(node) { return model.kind === 'folders' ? node.size : Math.max(node.size, 2.2 / scale); }

  // Limits the number of lines: too many are unreadable.
  function drawnLinks() {
    if (model.kind === 'folders') return model.edges.slice(0, model.nodes.length * 2);
    return model.edges.length <= MAX_LINES ? model.edges : [];
  }

  function draw() {
    if (!layout) return;
    const dots = devicePixelRatio || 1, lit = over >= 0 ? over : selected;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(dots * scale, 0, 0, dots * scale, dots * left, dots * top);
    context.lineWidth = 1 / scale;
    const links = drawnLinks();
    if (links.length) {
      context.strokeStyle = colors.soft;
      context.globalAlpha = lit >= 0 ? .04 : Math.max(.05, Math.min(.28, 6 / Math.sqrt(links.length)));
      context.beginPath();
      for (const [from, to] of links) line(from, to);
      context.stroke();
    }
    context.strokeStyle = colors.soft;
    context.globalAlpha = lit >= 0 ? .12 : .4;
    context.beginPath();
    model.nodes.forEach((node, at) => { if (node.parent >= 0) line(node.parent, at); });
    context.stroke();
    if (lit >= 0) {
      context.globalAlpha = .75;
      context.strokeStyle = colors.ink;
      context.beginPath();
      for (const [from, to] of model.edges) if (from === lit || to === lit) line(from, to);
      context.stroke();
    }
    model.nodes.forEach((node, at) => {
      context.globalAlpha = lit < 0 || at === lit || near.has(at) ? 1 : .22;
      dot(node, at);
    });
    context.globalAlpha = 1;
    if (selected >= 0) ring(selected);
    if (over >= 0 && over !== selected) ring(over);
    names(dots, lit);
  }
  function dot(node, at) {
    const r = radius(node), x = layout.x[at], y = layout.y[at];
    context.beginPath();
    context.arc(x, y, r, 0, Math.PI * 2);
    const tint = node.row >= 0 && node.failed ? colors.failed : colors.section[node.color];
    if (node.hollow) {
      context.fillStyle = colors.paper;
      context.fill();
      context.lineWidth = Math.min(r * .6, 1.6 / Math.min(1, scale));
      context.strokeStyle = tint;
      context.stroke();
      return;
    }
    context.fillStyle = tint;
    context.fill();
    // The broken share of a folder, as a slice.
    if (node.row < 0 && node.failed) {
      context.beginPath();
      context.moveTo(x, y);
      context.arc(x, y, r, -Math.PI / 2, -Math.PI / 2 + Math.PI * 2 * Math.max(.02, node.failed / node.rows.length));
      context.fillStyle = colors.failed;
      context.fill();
    }
  }
  function ring(at) {
    context.beginPath();
    context.arc(layout.x[at], layout.y[at], radius(model.nodes[at]) + 3 / scale, 0, Math.PI * 2);
    context.lineWidth = 2 / scale;
    context.strokeStyle = colors.ink;
    context.stroke();
  }
  // Draws the names of the largest nodes where there is space.
  function names(dots, lit) {
    context.setTransform(dots, 0, 0, dots, 0, 0);
    const font = '12px ui-sans-serif, system-ui, sans-serif';
    context.font = font;
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    const most = model.kind === 'folders' ? 80 : 18;
    const tree = model.nodes.flatMap((node, at) => node.parent >= 0 ? [[node.parent, at]] : []);
    const lines = [...tree, ...drawnLinks().slice(0, 500)].map(([from, to]) => [...onStage(from), ...onStage(to)]);
    const circles = model.nodes.map((node, at) => [...onStage(at), radius(node) * scale]);
    const labels = graphLabels(canvas.clientWidth, canvas.clientHeight, circles, lines);
    const heads = new Set(model.nodes.map(node => node.parent));
    const rank = at => model.nodes[at].size + (heads.has(at) && model.kind === 'folders' ? 40 : 0);
    const order = model.nodes.map((_, at) => at).sort((a, b) => rank(b) - rank(a)).slice(0, most);
    for (const at of new Set(lit >= 0 ? [lit, ...order] : order)) {
      if (lit >= 0 && at !== lit && !near.has(at)) continue;
      const node = model.nodes[at], text = node.label.length > 28 ? node.label.slice(0, 27) + '…' : node.label;
      context.font = (heads.has(at) && model.kind === 'folders' ? '600 ' : '') + font;
      const box = labels.place(...onStage(at), radius(node) * scale, context.measureText(text).width);
      if (!box) continue;
      const [x, y] = box;
      context.lineWidth = 3;
      context.strokeStyle = colors.paper;
      context.strokeText(text, x, y);
      context.fillStyle = colors.ink;
      context.fillText(text, x, y);
    }
  }

  function hit(x, y) {
    let best = -1, least = Infinity;
    model.nodes.forEach((node, at) => {
      const far = Math.hypot(layout.x[at] * scale + left - x, layout.y[at] * scale + top - y) - radius(node) * scale;
      if (far < Math.min(7, least)) { least = far; best = at; }
    });
    return best;
  }
  function hover(at, x, y) {
    const tip = by('tip');
    if (at !== over) {
      over = at;
      canvas.classList.toggle('over', at >= 0);
      focusOn(at >= 0 ? at : selected);
      draw();
    }
    tip.hidden = at < 0;
    if (at < 0) return;
    const node = model.nodes[at];
    const words = node.row < 0
      ? plural(node.rows.length, 'page', 'pages') + (node.failed ? ', ' + number(node.failed) + ' broken' : '') + (node.inner ? ', ' + plural(node.inner, 'folder', 'folders') : '')
      : statusText(node.row) + ', depth ' + store.depth[node.row] + ', linked from ' + plural(store.inbound[node.row], 'page', 'pages');
    tip.replaceChildren(node.title, el('br'), el('span', {}, words));
    tip.style.left = Math.max(4, Math.min(x + 14, canvas.clientWidth - tip.offsetWidth - 4)) + 'px';
    tip.style.top = (y + 18 + tip.offsetHeight > canvas.clientHeight ? y - tip.offsetHeight - 12 : y + 18) + 'px';
  }
  function pick(at) {
    if (at < 0) return;
    const node = model.nodes[at];
    if (node.row >= 0) details.show(node.row);
    else { mark(at); details.folder(node, () => showPages(node)); }
  }
  function mark(at) { selected = at; focusOn(at); draw(); }

  function listen() {
    let drag = null;
    const spot = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener('pointerdown', event => { drag = {x: event.clientX, y: event.clientY, left, top, far: false}; });
    canvas.addEventListener('pointermove', event => {
      if (drag && event.buttons) {
        const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
        if (Math.abs(dx) + Math.abs(dy) > 4 && !drag.far) { drag.far = true; canvas.setPointerCapture(event.pointerId); }
        if (drag.far) { left = drag.left + dx; top = drag.top + dy; moved = true; draw(); }
      } else { const [x, y] = spot(event); hover(hit(x, y), x, y); }
    });
    canvas.addEventListener('pointerup', event => { if (drag && !drag.far) pick(hit(...spot(event))); drag = null; });
    canvas.addEventListener('pointerleave', () => hover(-1));
    // Plain scrolling scrolls the page.
    canvas.addEventListener('wheel', event => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * .01), ...spot(event));
    }, {passive: false});
    canvas.addEventListener('keydown', event => {
      const way = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
      if (way) go(...way);
      else if (event.key === 'Enter') pick(selected);
      else if (event.key === '+' || event.key === '=') zoom(1.4);
      else if (event.key === '-') zoom(1 / 1.4);
      else if (event.key === '0') { moved = false; fit(); draw(); }
      else return;
      event.preventDefault();
    });
    canvas.addEventListener('blur', () => hover(-1));
  }
  // Selects the nearest node in that direction.
  function go(dx, dy) {
    let best = selected < 0 ? 0 : -1, least = Infinity;
    if (selected >= 0) model.nodes.forEach((_, at) => {
      const x = layout.x[at] - layout.x[selected], y = layout.y[at] - layout.y[selected], along = x * dx + y * dy;
      const cost = along + Math.abs(x * dy - y * dx) * 2.5;
      if (at !== selected && along > 0 && cost < least) { least = cost; best = at; }
    });
    if (best < 0) return;
    mark(best);
    hover(best, layout.x[best] * scale + left, layout.y[best] * scale + top);
  }

  function find(row) { return model ? model.nodes.findIndex(node => node.row === row) : -1; }
  return {
    build,
    has: row => find(row) >= 0,
    select(row) { if (model) mark(row < 0 ? -1 : find(row)); },
    reveal(row) {
      const at = find(row);
      by('stage').scrollIntoView({block: 'center'});
      scale = Math.max(scale, 1.4);
      left = canvas.clientWidth / 2 - layout.x[at] * scale;
      top = canvas.clientHeight / 2 - layout.y[at] * scale;
      moved = true;
      mark(at);
    },
  };
})();
