// A service worker: it outlives the page that registered it.
const bases = JSON.parse(new URL(location).searchParams.get('bases'));
self.addEventListener('install', (event) => {
  event.waitUntil(
    Promise.allSettled(
      bases.flatMap((base) => [
        fetch(`${base}/c/service-worker`, { mode: 'no-cors' }),
        caches.open('x').then((cache) => cache.add(new Request(`${base}/c/service-cache`, { mode: 'no-cors' }))),
      ])
    )
  );
});
