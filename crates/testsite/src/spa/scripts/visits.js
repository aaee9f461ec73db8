// Counts visits in every kind of browser storage.
(() => {
  const write = (text) => root.append(Object.assign(document.createElement('p'), { textContent: text }));
  const cookie = Number((/visits=(\d+)/.exec(document.cookie) || [0, 0])[1]) + 1;
  document.cookie = `visits=${cookie}; path=/; max-age=3600`;
  write(`visits by cookie: ${cookie}`);
  const stored = Number(localStorage.getItem('visits') || 0) + 1;
  localStorage.setItem('visits', stored);
  write(`visits by storage: ${stored}`);
  const opening = indexedDB.open('visits', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('counts');
  opening.onerror = () => write(`no database: ${opening.error}`);
  opening.onsuccess = () => {
    const counts = opening.result.transaction('counts', 'readwrite').objectStore('counts');
    const reading = counts.get('visits');
    reading.onsuccess = () => {
      const count = (reading.result || 0) + 1;
      counts.put(count, 'visits');
      write(`visits by database: ${count}`);
    };
  };
})();
