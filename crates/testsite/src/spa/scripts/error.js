root.innerHTML = '<p>written before the fault</p>';
setTimeout(() => root.insertAdjacentHTML('beforeend', '<p>written in spite of it</p><a href="/landed/error">on</a>'), 20);
Promise.reject(new Error('nobody catches this'));
missing.thing.of.nothing();
