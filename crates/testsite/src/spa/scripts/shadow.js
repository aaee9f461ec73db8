// A host with an open shadow root that contains a slot and a second host with its own shadow root.
(() => {
  const host = document.createElement('section');
  host.innerHTML = '<p>light in the slot <a href="/landed/slot">slotted</a></p>';
  root.append(host);
  const outer = host.attachShadow({ mode: 'open' });
  outer.innerHTML = '<style>p { color: grey; }</style><p>outer shade</p><slot></slot><div></div>';
  const inner = outer.querySelector('div').attachShadow({ mode: 'open' });
  inner.innerHTML = '<p>inner shade <a href="/landed/shade">on</a></p>';
})();
