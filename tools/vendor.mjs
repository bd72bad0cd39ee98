// Copies the files that the browser loads from node_modules to static/vendor, which git ignores: modules
// for the unbundled source, and the font in small parts.

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import subsetFont from "subset-font";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const vendor = join(root, "static", "vendor");
const inter = join(modules, "@fontsource-variable", "inter");

// [from, below node_modules; to, below static/vendor]
const COPIES = [
  ["socket.io-client/dist/socket.io.esm.min.js", "socket.io.js"],
  ["lit-html/lit-html.js", "lit-html/lit-html.js"],
  ["lit-html/directive.js", "lit-html/directive.js"],
  ["lit-html/directive-helpers.js", "lit-html/directive-helpers.js"],
  ["lit-html/directives/repeat.js", "lit-html/directives/repeat.js"],
  ["lit-html/LICENSE", "lit-html/LICENSE"],
  ["uplot/dist/uPlot.esm.js", "uplot.js"],
  ["uplot/LICENSE", "uplot.LICENSE"],
  ["@fontsource-variable/inter/LICENSE", "inter/LICENSE"],
];

// The weights used by the styles.
const WEIGHTS = { min: 400, max: 700 };
// [part, the package's file with it, its characters or null for all of the file]. If parts share a
// character, the last one is loaded: so Vietnamese does not need the large latin-ext.
const FONT_PARTS = [
  ["latin-rare", "latin-ext", null],
  ["latin-european", "latin-ext", "U+0100-017F"],
  ["cyrillic-ext", "cyrillic-ext", null],
  ["cyrillic", "cyrillic", null],
  ["greek-ext", "greek-ext", null],
  ["greek", "greek", null],
  ["vietnamese", "vietnamese", null],
  ["latin", "latin", null],
];

function charactersOf(range) {
  return range.split(",").flatMap((part) => {
    const [first, last = first] = part.trim().replace("U+", "").split("-").map((hex) => parseInt(hex, 16));
    return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
  }).join("");
}

async function fontParts() {
  const css = await readFile(join(inter, "wght.css"), "utf8");
  const parts = [];
  for (const [name, from, range] of FONT_PARTS) {
    const rule = css.split(`/* inter-${from}-wght-normal */`)[1];
    const covered = range ?? rule.match(/unicode-range:\s*([^;]+);/)[1];
    const font = await readFile(join(inter, "files", `inter-${from}-wght-normal.woff2`));
    const small = await subsetFont(font, charactersOf(covered), {
      targetFormat: "woff2", variationAxes: { wght: WEIGHTS },
    });
    await writeFile(join(vendor, "inter", `${name}.woff2`), small);
    parts.push(`@font-face {
  font-family: "Inter Variable";
  font-style: normal;
  font-display: swap;
  font-weight: ${WEIGHTS.min} ${WEIGHTS.max};
  src: url("./${name}.woff2") format("woff2");
  unicode-range: ${covered};
}
`);
  }
  await writeFile(join(vendor, "inter", "inter.css"), parts.join("\n"));
  return parts.length;
}

await rm(vendor, { recursive: true, force: true });
for (const [from, to] of COPIES) {
  const target = join(vendor, to);
  await mkdir(dirname(target), { recursive: true });
  await cp(join(modules, from), target);
}
console.error(`static/vendor: ${COPIES.length} files, ${await fontParts()} parts of the font`);
