// Node positions: a radial layout of the tree of discovery, then relaxed by forces.
function graphLayout({nodes, edges, kind}, aspect) {
  const count = nodes.length, x = new Float64Array(count), y = new Float64Array(count), vx = new Float64Array(count), vy = new Float64Array(count);
  const kids = nodes.map(() => []), roots = [];
  nodes.forEach((node, at) => { if (node.parent >= 0) kids[node.parent].push(at); else roots.push(at); });
  const leaves = new Float64Array(count);
  const order = [];
  const seen = new Uint8Array(count);
  (function visit(stack) {
    while (stack.length) {
      const at = stack.pop();
      if (seen[at]) continue;
      seen[at] = 1;
      order.push(at);
      stack.push(...kids[at]);
    }
  })([...roots]);
  // Nodes in a cycle of parents have no root; they are placed like roots.
  for (let at = 0; at < count; at++) if (!seen[at]) { roots.push(at); order.push(at); seen[at] = 1; }
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at];
    leaves[node] = Math.max(1, kids[node].reduce((sum, kid) => sum + leaves[kid], 0));
  }
  // The radius grows with the square root of the depth: rings have equal area and long chains stay close.
  const ring = 30 + Math.sqrt(count) * 4;
  const placed = new Uint8Array(count);
  function place(group, start, end, depth) {
    const work = [[group, start, end, depth]];
    while (work.length) {
      const [some, from, to, level] = work.pop();
      const sum = some.reduce((all, at) => all + leaves[at], 0) || 1;
      let angle = from;
      for (const at of some) {
        if (placed[at]) continue;
        placed[at] = 1;
        const wide = (to - from) * leaves[at] / sum;
        x[at] = Math.cos(angle + wide / 2) * ring * Math.sqrt(level);
        y[at] = Math.sin(angle + wide / 2) * ring * Math.sqrt(level);
        work.push([kids[at], angle, angle + wide, level + 1]);
        angle += wide;
      }
    }
  }
  place(roots, 0, Math.PI * 2, roots.length > 1 ? 1 : 0);

  // Springs along the tree hold it together; other links pull only weakly, or everything would collapse into one ball.
  const springs = [];
  nodes.forEach((node, at) => { if (node.parent >= 0) springs.push([node.parent, at, .09]); });
  const pull = edges.length ? Math.min(.01, count * .02 / edges.length) : 0;
  if (edges.length < 20000 && kind === 'pages') for (const [from, to] of edges) springs.push([from, to, pull]);
  // Gravity toward the middle is stronger along the narrow side of the stage, so that the graph fills the stage.
  const wide = .006 / aspect, high = .006 * aspect;
  const reach = 60 + Math.sqrt(count) * 7;
  let heat = 1;

  function step() {
    const push = 520 + count * .4;
    for (let a = 0; a < count; a++) {
      for (let b = a + 1; b < count; b++) {
        let dx = x[a] - x[b], dy = y[a] - y[b];
        const near = nodes[a].size + nodes[b].size;
        let square = dx * dx + dy * dy;
        if (square < .01) { dx = (a % 7 - 3) * .1 + .05; dy = (b % 5 - 2) * .1 + .05; square = dx * dx + dy * dy; }
        if (square > 250000) continue;
        const force = Math.min(6, (push + near * near * 5) / square / Math.sqrt(square));
        vx[a] += dx * force; vy[a] += dy * force; vx[b] -= dx * force; vy[b] -= dy * force;
      }
    }
    for (const [a, b, strength] of springs) {
      const dx = x[b] - x[a], dy = y[b] - y[a], long = Math.sqrt(dx * dx + dy * dy) || 1;
      const rest = 26 + nodes[a].size + nodes[b].size, force = (long - rest) / long * strength;
      vx[a] += dx * force; vy[a] += dy * force; vx[b] -= dx * force; vy[b] -= dy * force;
    }
    for (let at = 0; at < count; at++) {
      // Stronger farther out, or one long chain would make everything else small.
      const far = 1 + Math.hypot(x[at], y[at]) / reach;
      vx[at] -= x[at] * wide * far; vy[at] -= y[at] * high * far;
      const fast = Math.hypot(vx[at], vy[at]), most = 30 * heat;
      const slow = fast > most ? most / fast : 1;
      x[at] += vx[at] * slow * heat; y[at] += vy[at] * slow * heat;
      vx[at] *= .55; vy[at] *= .55;
    }
    heat *= .985;
    return heat > .03;
  }
  return {x, y, step};
}
