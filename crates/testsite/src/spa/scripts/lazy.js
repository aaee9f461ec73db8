// Two requests; the second starts after the first has finished.
(async () => {
  const part = async (url) => (await (await fetch(url)).json()).text;
  const write = (text) => root.append(Object.assign(document.createElement('p'), { textContent: text }));
  write(await part('/data/first.json'));
  write(await part('/data/second.json'));
  root.append(Object.assign(document.createElement('a'), { href: '/landed/lazy', textContent: 'on' }));
})();
