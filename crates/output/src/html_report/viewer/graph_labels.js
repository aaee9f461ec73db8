// Places labels beside their nodes, without overlaps, where they cover the fewest dots and lines.
function graphLabels(width, height, dots, lines) {
  const HALF = 7, LARGE = 8, taken = [];

  // Whether a line crosses a box: clips it at each of the four sides and checks whether anything is left.
  function crosses([x0, y0, x1, y1], [left, top, right, bottom]) {
    let from = 0, to = 1;
    for (const [along, room] of [[x0 - x1, x0 - left], [x1 - x0, right - x0], [y0 - y1, y0 - top], [y1 - y0, bottom - y0]]) {
      if (along === 0) { if (room < 0) return false; continue; }
      if (along < 0) from = Math.max(from, room / along); else to = Math.min(to, room / along);
      if (from > to) return false;
    }
    return true;
  }
  function covers([left, top, right, bottom], [x, y, radius]) {
    const dx = x - Math.max(left, Math.min(x, right)), dy = y - Math.max(top, Math.min(y, bottom));
    return dx * dx + dy * dy < radius * radius;
  }
  // Whether two bounding boxes are apart: a cheap check that rules out most dots and lines.
  function apart(x0, y0, x1, y1, box) { return x1 < box[0] || x0 > box[2] || y1 < box[1] || y0 > box[3]; }

  // The left end and the vertical middle of the label, or nothing if there is no space.
  function place(x, y, radius, wide) {
    const out = radius + 4, aslant = radius * .71 + 6, low = radius + HALF + 3;
    const around = [x - out - wide - 9, y - low - 9, x + out + wide + 9, y + low + 9];
    const nearDots = dots.filter(dot => !apart(dot[0] - dot[2], dot[1] - dot[2], dot[0] + dot[2], dot[1] + dot[2], around));
    const nearLines = lines.filter(line => !apart(Math.min(line[0], line[2]), Math.min(line[1], line[3]), Math.max(line[0], line[2]), Math.max(line[1], line[3]), around));
    const spots = [[x + out, y], [x - out - wide, y], [x - wide / 2, y + low], [x - wide / 2, y - low],
      [x + aslant, y + aslant + 2], [x + aslant, y - aslant - 2], [x - aslant - wide, y + aslant + 2], [x - aslant - wide, y - aslant - 2]];
    let best = null, least = Infinity;
    for (const [left, middle] of spots) {
      const box = [left, middle - HALF, left + wide, middle + HALF];
      if (box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height) continue;
      if (taken.some(other => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      const covered = nearDots.filter(dot => covers(box, dot));
      // A label on a large dot would look like that dot's label.
      if (covered.some(dot => dot[2] > LARGE)) continue;
      const cost = covered.length * 4 + nearLines.filter(line => crosses(line, box)).length;
      if (cost < least) { least = cost; best = box; }
      if (!cost) break;
    }
    if (best) taken.push(best);
    return best && [best[0], best[1] + HALF];
  }
  return {place};
}
