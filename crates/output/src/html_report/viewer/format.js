// Formats numbers, sizes and times for display.
const counted = new Intl.NumberFormat();
function number(value) { return counted.format(value); }
function plural(value, one, many) { return number(value) + ' ' + (value === 1 ? one : many); }
function percent(part, whole) {
  if (!whole) return '';
  const share = part / whole * 100;
  return share > 0 && share < 1 ? '<1%' : Math.round(share) + '%';
}
function bytes(value) {
  if (value < 1000) return value + ' B';
  const units = ['kB', 'MB', 'GB', 'TB'];
  let unit = -1;
  do { value /= 1000; unit++; } while (value >= 999.5 && unit < units.length - 1);
  return (value < 10 ? value.toFixed(1) : Math.round(value)) + ' ' + units[unit];
}
function duration(ms) {
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return Math.round(ms) + ' ms';
  if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 1 : 0) + ' s';
  const minutes = Math.floor(ms / 60000);
  if (minutes < 60) return minutes + ' min ' + Math.round(ms % 60000 / 1000) + ' s';
  return Math.floor(minutes / 60) + ' h ' + minutes % 60 + ' min';
}
function moment(ms) {
  return new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeStyle: 'short'}).format(new Date(ms));
}
