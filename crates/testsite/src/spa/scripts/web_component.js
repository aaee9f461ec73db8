customElements.define('harbour-card', class extends HTMLElement {
  connectedCallback() {
    this.innerHTML = `<p>said by a custom element</p><a href="${this.getAttribute('to')}">on</a>`;
  }
});
root.innerHTML = '<harbour-card to="/landed/component"></harbour-card>';
