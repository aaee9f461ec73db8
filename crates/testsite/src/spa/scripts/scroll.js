// An endless list that grows by five whenever its end is in view.
(() => {
  let count = 0;
  const end = document.createElement('div');
  const more = () => {
    for (let index = 0; index < 5; index += 1) {
      count += 1;
      const entry = document.createElement('section');
      entry.className = 'tall';
      entry.innerHTML = `<h2>barrel ${count} of many</h2><a href="/landed/barrel-${count}">open</a>`;
      end.before(entry);
    }
  };
  root.append(end);
  more();
  new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) more(); }).observe(end);
})();
