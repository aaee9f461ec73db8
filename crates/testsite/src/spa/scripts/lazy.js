// Two requests, the second asked for only when the first has come.
(async () => {
  const part = async (url) => (await (await fetch(url)).json()).text;
  const write = (text) => root.append(Object.assign(document.createElement('p'), { textContent: text }));
  write(await part('/data/first.json'));
  write(await part('/data/second.json'));
  root.append(Object.assign(document.createElement('a'), { href: '/landed/lazy', textContent: 'on' }));
})();
