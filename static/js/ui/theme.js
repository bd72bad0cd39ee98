// Light, dark, or as the system says. The server writes the attribute, so nothing flashes.

export const THEMES = ["system", "light", "dark"];

export class Theme {
  constructor(page = document) {
    this.page = page;
  }

  get name() { return this.page.documentElement.dataset.theme || "system"; }

  choose(name) { this.page.documentElement.dataset.theme = name; }
}
