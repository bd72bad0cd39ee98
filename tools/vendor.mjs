// Copies what the browser loads from node_modules into static/vendor, which git ignores.

import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const vendor = join(root, "static", "vendor");

const INTER_SUBSETS = [
  "cyrillic", "cyrillic-ext", "greek", "greek-ext", "latin", "latin-ext", "vietnamese",
];

// [from, below node_modules; to, below static/vendor]
const COPIES = [
  ["socket.io-client/dist/socket.io.esm.min.js", "socket.io.js"],
  ["lit-html/lit-html.js", "lit-html/lit-html.js"],
  ["lit-html/directive.js", "lit-html/directive.js"],
  ["lit-html/directive-helpers.js", "lit-html/directive-helpers.js"],
  ["lit-html/directives/repeat.js", "lit-html/directives/repeat.js"],
  ["lit-html/LICENSE", "lit-html/LICENSE"],
  ["@fontsource-variable/inter/wght.css", "inter/wght.css"],
  ["@fontsource-variable/inter/LICENSE", "inter/LICENSE"],
  ...INTER_SUBSETS.map((subset) => [
    `@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`,
    `inter/files/inter-${subset}-wght-normal.woff2`,
  ]),
];

await rm(vendor, { recursive: true, force: true });
for (const [from, to] of COPIES) {
  const target = join(vendor, to);
  await mkdir(dirname(target), { recursive: true });
  await cp(join(modules, from), target);
}
console.error(`static/vendor: ${COPIES.length} files`);
