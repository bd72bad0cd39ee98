import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scripts = readdirSync(join(root, "static/js"), { recursive: true })
  .filter((name) => name.endsWith(".js"))
  .map((name) => ({ name, text: readFileSync(join(root, "static/js", name), "utf8") }));

// folder → what it may import; "" is main.js, which builds everything
const MAY_IMPORT = {
  core: [/^\.\/[a-z0-9-]+\.js$/],
  net: [/^\.\/[a-z0-9-]+\.js$/, /^\.\.\/core\//, /^socket\.io-client$/],
  ui: [/^\.\/[a-z0-9-]+\.js$/, /^\.\.\/core\//, /^lit-html/],
};

test("imports point down: core knows itself alone, net and ui know core", () => {
  for (const { name, text } of scripts) {
    const folder = name.includes("/") ? name.split("/")[0] : "";
    for (const [, from] of text.matchAll(/^import[^;]*?from "([^"]+)"/gms)) {
      if (folder) assert.ok(MAY_IMPORT[folder].some((rule) => rule.test(from)), `${name}: ${from}`);
    }
  }
});

test("core touches no page", () => {
  for (const { name, text } of scripts.filter((script) => script.name.startsWith("core/"))) {
    assert.doesNotMatch(text, /\b(document|window|location|history|navigator)\./, name);
  }
});

test("text of others never becomes markup", () => {
  for (const { name, text } of scripts) {
    assert.doesNotMatch(text, /insertAdjacentHTML|outerHTML|unsafeHTML|unsafeSVG|document\.write/, name);
    const writes = text.match(/innerHTML/g)?.length ?? 0;
    assert.ok(writes === 0 || (name === "ui/row.js" && writes === 1), `${name}: innerHTML`);
  }
});

test("nothing needs a style attribute, which the page's policy forbids", () => {
  const templates = readdirSync(join(root, "templates")).map((name) => ({
    name, text: readFileSync(join(root, "templates", name), "utf8"),
  }));
  for (const { name, text } of [...scripts, ...templates]) {
    assert.doesNotMatch(text, /\sstyle=["$]/, name);
  }
});

// What main.js brings by itself, and what that brings in turn.
function broughtBy(name, brought = new Set()) {
  if (brought.has(name)) return brought;
  brought.add(name);
  const { text } = scripts.find((script) => script.name === name);
  for (const [, from] of text.matchAll(/^import[^;]*?from "(\.[^"]+)"/gms)) {
    broughtBy(join(dirname(name), from), brought);
  }
  return brought;
}

const weight = (some) => gzipSync(some.map(({ text }) => text).join("")).length;

test("the scripts that the first paint waits for weigh at most 60 kB, compressed as one archive", () => {
  const first = broughtBy("main.js");
  const bytes = weight(scripts.filter(({ name }) => first.has(name)));
  assert.ok(bytes <= 60_000, `${bytes} bytes`);
});

test("all our scripts together weigh at most 75 kB, compressed as one archive", () => {
  const bytes = weight(scripts);
  assert.ok(bytes <= 75_000, `${bytes} bytes`);
});

test("what is loaded when it is asked for exists, and the first paint does not bring it already", () => {
  const first = broughtBy("main.js");
  for (const { name, text } of scripts) {
    for (const [, from] of text.matchAll(/\bimport\("([^"]+)"\)/g)) {
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
