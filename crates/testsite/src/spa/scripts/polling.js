// The text appears with the first response; polling never stops.
(() => {
  const poll = async () => {
    const { text } = await (await fetch('/data/tide.json')).json();
    if (!root.firstChild) root.innerHTML = `<p>${text}</p><a href="/landed/tide">on</a>`;
    setTimeout(poll, 50);
  };
  poll();
})();
