// The base of most classes of the page: it holds the four groups that main.js hands over. The classes read
// from these when they act, because some parts are built later.

export class PageModule {
  /** @param {Page} page */
  constructor({ data, net, ui, acts }) {
    this.data = data;
    this.net = net;
    this.ui = ui;
    this.acts = acts;
  }
}
