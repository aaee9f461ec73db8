// An endless list that grows by five whenever its end is in view.
(() => {
  let count = 0;
  const end = document.createElement('div');
  const more = () => {
    for (let place = 0; place < 5; place += 1) {
      count += 1;
      const entry = document.createElement('section');
      entry.className = 'tall';
      entry.innerHTML = `<h2>barrel ${count} of many</h2><a href="/landed/barrel-${count}">open</a>`;
      end.before(entry);
    }
  };
  root.append(end);
  more();
  new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) more(); }).observe(end);
})();
