// A router based on the history API, as in common libraries: routes by path, links that do not load pages.
(() => {
  const root = document.getElementById('root');
  const element = (name, attributes, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const number = (path) => (path === '/' ? 0 : (/^\/p\/(\d+)$/.exec(path) || [])[1]);
  let latest = 0;
  async function draw() {
    const current = ++latest;
    const page = number(location.pathname);
    root.replaceChildren(element('p', { class: 'loading' }, 'Loading…'));
    let content;
    try {
      if (page === undefined) throw new Error('no route');
      const response = await fetch(`/api/page/${page}.json`);
      if (!response.ok) throw new Error(response.status);
      const { title, text, links } = await response.json();
      document.title = title;
      content = element('main', {},
        element('img', { src: '/assets/logo.png', alt: '', width: 16, height: 16 }),
        element('h1', {}, title),
        element('p', {}, text),
        element('nav', {}, ...links.map((link) => element('a', { href: link.to }, link.text))));
    } catch (error) {
      content = element('main', {}, element('h1', {}, 'No such page'));
    }
    if (current === latest) root.replaceChildren(content);
  }
  addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link || link.origin !== location.origin) return;
    event.preventDefault();
    history.pushState(null, '', link.href);
    draw();
  });
  addEventListener('popstate', draw);
  draw();
})();
