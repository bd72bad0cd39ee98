import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scripts = readdirSync(join(root, "static/js"), { recursive: true })
  .filter((name) => name.endsWith(".js"))
  .map((name) => ({ name, text: readFileSync(join(root, "static/js", name), "utf8") }));

// Each folder and those that it may import from; main.js may import from all.
const UI = ["core", "core/list", "core/query", "core/thread", "ui/elements"];
const MAY_IMPORT = {
  core: ["core"],
  "core/hours": ["core", "core/hours"],
  "core/list": ["core", "core/list"],
  "core/query": ["core", "core/query"],
  "core/reports": ["core", "core/reports"],
  "core/thread": ["core", "core/thread"],
  net: ["core", "net"],
  "ui/elements": UI,
  "ui/presence": [...UI, "ui/presence"],
  "ui/query": [...UI, "ui/query"],
  "ui/hours": [...UI, "core/hours", "ui/query", "ui/hours"],
  "ui/advice": [...UI, "ui/advice"],
  "ui/queues": [...UI, "ui/queues"],
  "ui/list": [...UI, "ui/presence", "ui/list"],
  "ui/thread": [...UI, "ui/presence", "ui/thread"],
  reports: [...UI, "core/reports", "ui/list", "ui/query", "reports"],
  "ui/shell": [...UI, "ui/presence", "ui/shell"],
  "ui/dialogs": [...UI, "ui/presence", "ui/dialogs"],
  app: [...UI, "ui/list", "ui/presence", "ui/shell", "ui/thread", "app"],
  settings: [...UI, "core/hours", "ui/dialogs", "ui/hours", "ui/query", "ui/shell", "settings"],
};
const PACKAGES = { net: /^socket\.io-client$/, ui: /^lit-html/, app: /^lit-html/, settings: /^lit-html/,
  reports: /^(lit-html|uplot$)/ };

test("a folder imports only from those below it", () => {
  for (const { name, text } of scripts.filter((script) => script.name.includes("/"))) {
    const folder = dirname(name);
    for (const [, from] of text.matchAll(/^import[^;]*?from "([^"]+)"/gms)) {
      const asksBrowser = join(folder, from) === "browser.js" && !folder.startsWith("core");
      const allowed = from.startsWith(".")
        ? asksBrowser || MAY_IMPORT[folder].includes(dirname(join(folder, from)))
        : PACKAGES[folder.split("/")[0]]?.test(from);
      assert.ok(allowed, `${name}: ${from}`);
    }
  }
});

test("a folder holds at most 25 files", () => {
  for (const top of ["static/js", "tests/js"]) {
    const files = readdirSync(join(root, top), { recursive: true }).filter((name) => /\.m?js$/.test(name));
    for (const folder of new Set(files.map((name) => dirname(name)))) {
      const count = files.filter((name) => dirname(name) === folder).length;
      assert.ok(count <= 25, `${top}/${folder}: ${count} files`);
    }
  }
});

test("core touches no page", () => {
  for (const { name, text } of scripts.filter((script) => script.name.startsWith("core/"))) {
    const code = text.replaceAll(/\/\/.*$/gm, "");
    assert.doesNotMatch(code, /\b(document|window|location|history|navigator)\./, name);
  }
});

test("what a browser may lack or refuse is asked for in one module", () => {
  const asked = /\b(localStorage|sessionStorage|indexedDB|navigator\.(locks|clipboard|permissions|serviceWorker)|crypto\.randomUUID|new (Notification|BroadcastChannel|ResizeObserver|IntersectionObserver)|Notification\.|visualViewport|execCommand\("copy"\))|resolvedOptions/;
  for (const { name, text } of scripts.filter((script) => script.name !== "browser.js")) {
    assert.doesNotMatch(text.replaceAll(/^\s*\/\/.*$/gm, ""), asked, name);
  }
});

test("every time is written and counted by the zone that one has chosen", () => {
  for (const { name, text } of scripts) {
    for (const [format] of text.matchAll(/new Intl\.DateTimeFormat\([^;]*?\)[.;,)\n]/g)) {
      assert.match(format, /timeZone/, `${name}: ${format}`);
    }
    assert.doesNotMatch(text, /\.(get|set)(FullYear|Month|Date|Day|Hours|Minutes)\(|\.toLocale\w*String\(|\.toDateString\(/, name);
    assert.doesNotMatch(text, /new Date\([^()]*,/, name);
  }
});

// The channels of a colour of oklch, linear, from 0 to 1 where a screen can show them.
function linear(lightness, chroma, hue) {
  const [a, b] = [Math.cos, Math.sin].map((of) => chroma * of((hue * Math.PI) / 180));
  const [l, m, s] = [[0.3963377774, 0.2158037573], [-0.1055613458, -0.0638541728], [-0.0894841775, -1.291485548]]
    .map(([byA, byB]) => (lightness + byA * a + byB * b) ** 3);
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

test("avatars of every hue are equally strong, and their letters are read in light and in dark", () => {
  for (const file of ["avatar.css", "presence.css"]) {
    const css = readFileSync(join(root, "static/css", file), "utf8");
    const [ground, letter] = [...css.matchAll(/light-dark\(oklch\((\d+)% (\.\d+) var\(--hue, 0\)\), oklch\((\d+)% (\.\d+) var\(--hue, 0\)\)\)/g)]
      .map(([, ...given]) => given.map(Number));
    for (let hue = 0; hue < 360; hue += 24) {
      for (const at of [0, 2]) {
        const colours = [ground, letter].map((given) => linear(given[at] / 100, given[at + 1], hue));
        for (const colour of colours) assert.ok(colour.every((channel) => channel > -1e-3 && channel < 1.001), `${file} ${hue}`);
        const [dark, light] = colours.map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b).sort((one, two) => one - two);
        assert.ok((light + 0.05) / (dark + 0.05) >= 4.5, `${file} ${hue}`);
      }
    }
  }
});

test("text of others never becomes markup", () => {
  for (const { name, text } of scripts) {
    assert.doesNotMatch(text, /insertAdjacentHTML|outerHTML|unsafeHTML|unsafeSVG|document\.write/, name);
    const writes = text.match(/innerHTML/g)?.length ?? 0;
    assert.ok(writes === 0 || (name === "ui/list/row.js" && writes === 1), `${name}: innerHTML`);
  }
});

test("nothing needs a style attribute, which the page's policy forbids", () => {
  const names = readdirSync(join(root, "templates"), { recursive: true });
  const templates = names.filter((name) => name.endsWith(".html")).map((name) => ({
    name, text: readFileSync(join(root, "templates", name), "utf8"),
  }));
  for (const { name, text } of [...scripts, ...templates]) {
    assert.doesNotMatch(text, /\sstyle=["$]/, name);
  }
});

// The scripts that a script imports at once, directly or through others.
function broughtBy(name, brought = new Set()) {
  if (brought.has(name)) return brought;
  brought.add(name);
  const { text } = scripts.find((script) => script.name === name);
  for (const [, from] of text.matchAll(/^import[^;]*?from "(\.[^"]+)"/gms)) {
    broughtBy(join(dirname(name), from), brought);
  }
  return brought;
}

const build = join(root, "static/build");
const built = JSON.parse(readFileSync(join(build, "manifest.json"), "utf8"));
const sent = (name) => statSync(join(build, `${name}.br`)).size;
const ownScripts = [built.files["js/main.js"], built.files["js/later.js"]]; // loaded by the dashboard itself
const [firstScript] = ownScripts;

test("the script that the first rows wait for takes at most 57.5 kB on the wire, and waits for no other", () => {
  assert.ok(sent(firstScript) <= 57_500, `${sent(firstScript)} bytes`);
  assert.doesNotMatch(readFileSync(join(build, firstScript), "utf8"), /(from|import)"\.\//);
});

test("all scripts that the dashboard loads by itself together take at most 110 kB on the wire", () => {
  const bytes = ownScripts.reduce((sum, name) => sum + sent(name), 0);
  assert.ok(bytes <= 110_000, `${bytes} bytes`);
});

test("settings and the editors of supervisors are a script of their own, of at most 42 kB on the wire", () => {
  const name = built.files["js/editors.js"];
  assert.ok(sent(name) <= 42_000, `${sent(name)} bytes`);
  for (const other of ownScripts) {
    assert.doesNotMatch(readFileSync(join(build, other), "utf8"), /from"\.\/editors-/, other);
  }
});

test("what is loaded when it is asked for exists, and the first paint does not bring it already", () => {
  const first = broughtBy("main.js");
  for (const { name, text } of scripts) {
    for (const [, from] of text.matchAll(/\bimport\("(\.[^"]+)"\)/g)) {
      const later = join(dirname(name), from);
      assert.ok(scripts.some((script) => script.name === later), `${name}: ${from}`);
      assert.ok(!first.has(later), `${name}: ${from}`);
    }
  }
});

test("every icon that is asked for is drawn", () => {
  const drawn = readFileSync(join(root, "templates/icons.svg"), "utf8");
  for (const { name, text } of scripts) {
    for (const [, icon] of text.matchAll(/\bICONS\.(\w+)/g)) {
      if (icon !== "name") assert.ok(drawn.includes(`id="icon-${icon}"`), `${name}: ${icon}`);
    }
  }
});

test("everything that a module exports is used in the page", () => {
  const unused = scripts.flatMap(({ name, text }) => [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)]
    .filter(([, exported]) => {
      const word = new RegExp(`\\b${exported}\\b`, "g");
      const isUsedHere = [...text.matchAll(word)].length > 1;
      return !isUsedHere && !scripts.some((other) => other.name !== name && word.test(other.text));
    })
    .map(([, exported]) => `${name}: ${exported}`));
  assert.deepEqual(unused, []);
});
