// The text is there with the first answer; the asking never stops.
(() => {
  const ask = async () => {
    const { text } = await (await fetch('/data/tide.json')).json();
    if (!root.firstChild) root.innerHTML = `<p>${text}</p><a href="/landed/tide">on</a>`;
    setTimeout(ask, 50);
  };
  ask();
})();
