// What most classes of the page begin with: the four groups that main.js hands over. They read from
// these when they act, for some of it is built later than they are.

export class PageModule {
  /** @param {Page} page */
  constructor({ data, net, ui, acts }) {
    this.data = data;
    this.net = net;
    this.ui = ui;
    this.acts = acts;
  }
}
