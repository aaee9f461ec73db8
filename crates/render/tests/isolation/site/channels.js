// Every way a page can make a browser contact another host, tried with every canary.
'use strict';

const body = document.body;
const tried = [];

function make(name, set, parent = body) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(set)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

function blob(text, type) {
  return URL.createObjectURL(new Blob([text], { type }));
}

const CHANNELS = {
  image: (url) => make('img', { src: url }),
  srcset: (url) => make('img', { srcset: `${url} 2x` }),
  picture: (url) => {
    const picture = make('picture', {});
    make('source', { srcset: url }, picture);
    make('img', {}, picture);
  },
  'svg-image': (url) => (make('div', {}).innerHTML = `<svg><image href="${url}"/></svg>`),
  'input-image': (url) => make('input', { type: 'image', src: url }),
  script: (url) => make('script', { src: url }),
  module: (url) => make('script', { type: 'module', src: url }),
  import: (url) => import(url).catch(() => {}),
  'style-import': (url) => (make('style', {}).textContent = `@import url("${url}");`),
  background: (url) => make('div', { style: `background: url("${url}"); width: 9px; height: 9px` }),
  font: (url) => new FontFace('f', `url("${url}")`).load().catch(() => {}),
  iframe: (url) => make('iframe', { src: url }),
  'iframe-data': (url) => make('iframe', { src: `data:text/html,<img src="${url}">` }),
  'iframe-blob': (url) => make('iframe', { src: blob(`<img src="${url}">`, 'text/html') }),
  'iframe-srcdoc': (url) => make('iframe', { srcdoc: `<img src="${url}">` }),
  'iframe-javascript': (url) => make('iframe', { src: `javascript:'<img src="${url}">'` }),
  object: (url) => make('object', { data: url }),
  'object-pdf': (url) => make('object', { data: url, type: 'application/pdf' }),
  'embed-pdf': (url) => make('embed', { src: url, type: 'application/pdf' }),
  frameset: (url) => (make('iframe', {}).srcdoc = `<frameset><frame src="${url}"></frameset>`),
  video: (url) => make('video', { src: url, preload: 'auto', poster: `${url}-poster` }),
  audio: (url) => make('audio', { src: url, preload: 'auto' }),
  track: (url) => {
    const video = make('video', { crossorigin: 'anonymous', src: 'data:video/mp4,' });
    make('track', { src: url, default: '' }, video).track.mode = 'showing';
  },
  fetch: (url) => fetch(url).catch(() => {}),
  'fetch-post': (url) => fetch(url, { method: 'POST', mode: 'no-cors', keepalive: true, body: 'x' }).catch(() => {}),
  'fetch-later': (url) => window.fetchLater?.(url, { activateAfter: 0 }),
  xhr: (url) => {
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.send();
  },
  beacon: (url) => navigator.sendBeacon(url, 'x'),
  'event-source': (url) => new EventSource(url),
  'web-socket': (url) => new WebSocket(url.replace('http', 'ws')),
  'web-socket-tls': (url) => new WebSocket(url.replace('http', 'wss')),
  https: (url) => fetch(url.replace('http', 'https'), { mode: 'no-cors' }).catch(() => {}),
  worker: (url) => new Worker(blob(`fetch("${url}", {mode: "no-cors"})`, 'text/javascript')),
  'worker-import': (url) => new Worker(blob(`importScripts("${url}")`, 'text/javascript')),
  'worker-socket': (url) => new Worker(blob(`new WebSocket("${url.replace('http', 'ws')}")`, 'text/javascript')),
  'form-frame': (url) => {
    make('iframe', { name: `f${url}` });
    make('form', { action: url, method: 'post', target: `f${url}` }).submit();
  },
  'form-window': (url) => make('form', { action: url, method: 'post', target: '_blank' }).submit(),
  open: (url) => window.open(url),
  'open-later': (url) => {
    const opened = window.open('about:blank');
    if (opened) opened.location = url;
  },
  'view-source': (url) => window.open(`view-source:${url}`),
  click: (url) => make('a', { href: url, target: '_blank' }).click(),
  download: (url) => make('a', { href: url, download: 'x', target: '_blank' }).click(),
  ping: (url) => make('a', { href: '#ping', ping: url }).click(),
  'web-transport': (url) => new WebTransport(url.replace('http', 'https')).ready.catch(() => {}),
  'payment-manifest': (url) =>
    new PaymentRequest([{ supportedMethods: url.replace('http', 'https') }], {
      total: { label: 'x', amount: { currency: 'EUR', value: '1' } },
    }).canMakePayment().catch(() => {}),
  stun: (url) => peer([`stun:${new URL(url).host}`]),
  'turn-udp': (url) => peer([`turn:${new URL(url).host}?transport=udp`]),
  'turn-tcp': (url) => peer([`turn:${new URL(url).host}?transport=tcp`]),
  'turn-tls': (url) => peer([`turns:${new URL(url).host}?transport=tcp`]),
  candidate: (url) => candidate(new URL(url)),
};

/** Gathers candidates with the help of a server. */
async function peer(urls) {
  const connection = new RTCPeerConnection({ iceServers: [{ urls, username: 'a', credential: 'b' }] });
  connection.createDataChannel('x');
  await connection.setLocalDescription(await connection.createOffer());
  return connection;
}

/** Makes the browser check whether the canary is the peer of a call. */
async function candidate(url) {
  const [one, two] = [new RTCPeerConnection(), new RTCPeerConnection()];
  one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
  await two.setRemoteDescription(one.localDescription);
  await two.setLocalDescription(await two.createAnswer());
  await one.setRemoteDescription(two.localDescription);
  const host = url.hostname.replace(/[[\]]/g, '');
  for (const kind of ['udp 2113937151', 'tcp 1518280447']) {
    const tcp = kind.startsWith('tcp') ? ' tcptype passive' : '';
    const text = `candidate:1 1 ${kind} ${host} ${url.port} typ host${tcp}`;
    await one.addIceCandidate({ candidate: text, sdpMid: '0', sdpMLineIndex: 0 }).catch(() => {});
  }
}

for (const base of BASES) {
  for (const [name, channel] of Object.entries(CHANNELS)) {
    try {
      channel(`${base}/c/${name}`);
      tried.push(name);
    } catch (error) {
      tried.push(`${name}: ${error}`);
    }
  }
}

// Through redirects of the site itself.
BASES.slice(0, -1).forEach((_, at) => {
  for (const status of [301, 302, 303, 307, 308]) {
    make('img', { src: `/redirect/${at}/${status}` });
    fetch(`/redirect/${at}/${status}?fetch`, { mode: 'no-cors' }).catch(() => {});
  }
});

const bases = encodeURIComponent(JSON.stringify(BASES));
new SharedWorker(`/shared.js?bases=${bases}`);
navigator.serviceWorker.register(`/service.js?bases=${bases}`).catch((error) => tried.push(`service worker: ${error}`));

// Local files.
for (const url of [`file://${FILE}`, `view-source:file://${FILE}`, `filesystem:file://${FILE}`]) {
  for (const name of ['iframe', 'image', 'script', 'fetch', 'xhr', 'object', 'open', 'worker-import', 'click']) {
    try {
      CHANNELS[name](url);
    } catch {
      // Not available.
    }
  }
}
for (const url of ['chrome://version', 'chrome://net-export', 'devtools://devtools/bundled/inspector.html', 'about:srcdoc']) {
  make('iframe', { src: url });
  window.open(url);
}

// The page is busy until this request completes.
fetch('/hold').then(() => {
  document.title = 'done';
  body.dataset.tried = JSON.stringify([...new Set(tried)]);
});
