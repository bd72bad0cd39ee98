// Light, dark or system. The server writes the attribute, so that a page does not load in another.

export class Theme {
  constructor(page = document) {
    this.page = page;
  }

  get name() { return this.page.documentElement.dataset.theme || "system"; }

  /** @param {string} name */
  choose(name) { this.page.documentElement.dataset.theme = name; }
}
