(() => {
  const names = { '': 'home', '#/': 'home', '#/about': 'about', '#/contact': 'contact' };
  const draw = () => {
    root.innerHTML = `<h1>hash route: ${names[location.hash] || 'unknown'}</h1>
<nav><a href="#/about">about</a> <a href="#/contact">contact</a></nav>`;
  };
  addEventListener('hashchange', draw);
  draw();
})();
