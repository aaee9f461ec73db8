// How the crawl ended and what was not followed, as sentences.
function caveats(end) {
  const lines = [];
  if (end.seedProblem) lines.push(end.seedProblem + '.');
  if (end.stop !== 'done') {
    const how = {host_parked: 'stopped because ' + end.message, signal: 'was stopped by a signal', output_closed: 'stopped because its output was closed'}[end.stop] || end.message;
    lines.push('The crawl ' + how + (end.left ? ' with ' + plural(end.left, 'known URL', 'known URLs') + ' left' : '') + '.');
  } else if (end.left) lines.push(plural(end.left, 'known URL was', 'known URLs were') + ' not visited.');
  const refused = [
    [end.tooDeep, 'beyond the depth limit', 'link', 'links'],
    [end.traps, '', 'link to a crawler trap', 'links to crawler traps'],
    [end.excluded, 'excluded by a pattern', 'link', 'links'],
  ].filter(([count]) => count);
  if (refused.length) {
    const parts = refused.map(([count, where, one, many]) => plural(count, one, many) + (where ? ' ' + where : ''));
    const alone = refused.length === 1 && refused[0][0] === 1;
    lines.push(listed(parts) + (alone ? ' was' : ' were') + ' not followed.');
  }
  let robots = 0;
  for (let row = 0; row < store.count; row++) if (store.outcome[row] === 3) robots++;
  if (robots) lines.push(plural(robots, 'URL was', 'URLs were') + ' blocked by robots.txt.');
  return lines;
}
function listed(parts) { return parts.length < 2 ? parts.join('') : parts.slice(0, -1).join(', ') + ' and ' + parts[parts.length - 1]; }
