// Bundles what the browser loads into static/build, which git ignores: hashed names, compressed
// twins, and manifest.json, by which dashboard/web/http/assets.py finds the files.
//   node tools/bundle.mjs [--if-changed]

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import * as esbuild from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "static");
const out = join(source, "build");
const manifestPath = join(out, "manifest.json");

// The files that pages name in `asset("…")`, below static/. The first is split: see `parts`.
const DASHBOARD = "js/main.js";
const LATER = "js/later.js"; // made here
// Scripts that few admins need, or rarely, which are fetched when they are needed: {name: its parts}. Made here.
const GROUPS = {
  "js/editors.js": /^static\/js\/(settings\/|ui\/(hours\/|query\/view-editor|list\/first-steps|dialogs\/hand-over-all))/,
  "js/advice.js": /^static\/js\/ui\/advice\//,
  "js/queues.js": /^static\/js\/ui\/queues\//,
  "js/reports.js": /^static\/js\/reports\//,
  "js/tags.js": /^static\/js\/ui\/dialogs\/tags\./,
  "js/history.js": /^static\/js\/(core\/list\/past|ui\/(list\/past|thread\/changes|dialogs\/explain))\./,
};
const PAGES = [
  "js/login.js", "js/invitation.js", "css/dashboard.css", "css/later.css", "css/pages/card.css",
  "css/pages/api_docs.css",
];
const COPIED = /^(icon\.svg|i18n\/.*\.json)$/;
const COMPRESSED = /\.(js|css|json|svg)$/;
// Open pages still load parts of the previous build, so old files stay for this time.
const KEPT_MS = 7 * 24 * 3600 * 1000;

const options = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome125", "firefox125", "safari17.5"],
  outdir: out,
  outbase: source,
  entryNames: "[dir]/[name]-[hash]",
  chunkNames: "js/main-[hash]", // see laterPlugin
  assetNames: "fonts/[name]-[hash]",
  loader: { ".woff2": "file" },
  metafile: true,
  sourcemap: true,
  legalComments: "linked",
  logLevel: "warning",
};
const packed = { brotli: promisify(brotliCompress), gzip: promisify(gzip) };
const paths = (names) => names.map((name) => join(source, name));
const nameOf = (path) => relative(out, join(root, path)).split(sep).join("/");

// The page only uses WebSocket, so the client's other transports are left out; esbuild would keep one that
// listens to the window although nothing uses it.
const webSocketAlone = {
  name: "web-socket-alone",
  setup(build) {
    build.onLoad({ filter: /engine\.io-client[\\/].*[\\/]transports[\\/]index\.js$/ }, ({ path }) => ({
      contents: 'import { WS } from "./websocket.js"; export const transports = { websocket: WS };',
      resolveDir: dirname(path),
    }));
    build.onResolve({ filter: /\/polling-xhr(\.node)?\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(".node", "")), sideEffects: false,
    }));
  },
};

const groupOf = (file) => Object.keys(GROUPS).find((name) => GROUPS[name].test(file));

// Every import() of the dashboard leads to `later`, which is loaded after the first rows together with the
// thread's pane (one script for each would be many small requests), or to one of the groups.
async function parts() {
  const { metafile } = await esbuild.build({
    ...options, entryPoints: paths([DASHBOARD]), splitting: true, write: false,
  });
  const found = Object.values(metafile.outputs).filter(
    ({ entryPoint }) => entryPoint && entryPoint !== `static/${DASHBOARD}`,
  );
  const exported = found.flatMap(({ exports }) => exports);
  const twice = exported.filter((name, at) => exported.indexOf(name) !== at);
  if (twice.length) throw new Error(`two parts loaded by import() export ${twice.join(", ")}`);
  const entries = found.map(({ entryPoint }) => entryPoint);
  const later = entries.filter((path) => !groupOf(path));
  const others = reached([`static/${DASHBOARD}`, ...later], metafile.inputs);
  const groups = Object.keys(GROUPS).map((name) => {
    const own = entries.filter((path) => groupOf(path) === name);
    const all = [...reached(own, metafile.inputs)].filter((path) => !others.has(path));
    return { name, entries: own, own: new Set(all) };
  });
  const files = groups.flatMap(({ own }) => [...own]);
  const inBoth = files.filter((path, at) => files.indexOf(path) !== at);
  if (inBoth.length) throw new Error(`two scripts would hold ${inBoth.join(", ")}`);
  // The groups take the modules that they share with other scripts from `later`.
  const shared = new Set(files.flatMap((path) => staticImports(path, metafile.inputs))
    .filter((path) => others.has(path) && !later.includes(path)));
  return { later: [...later, ...shared], groups, taken: await takenBy(files, shared) };
}

// Returns {file: the names that these files import from it}, for our own files in another script.
async function takenBy(files, shared) {
  const taken = Object.fromEntries(
    [...shared].filter((path) => path.startsWith("static/")).map((path) => [path, new Set()]),
  );
  for (const file of files) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, names, from] of text.matchAll(/^import \{([^}]*)\} from "([^"]+)"/gm)) {
      const path = relative(root, join(root, dirname(file), from)).split(sep).join("/");
      for (const name of names.split(",")) if (name.trim()) taken[path]?.add(name.trim().split(" ")[0]);
    }
  }
  return taken;
}

const staticImports = (path, inputs) => inputs[path].imports
  .filter(({ kind }) => kind === "import-statement").map((each) => each.path);

// Returns the files that these files import, except by import().
function reached(entries, inputs, found = new Set()) {
  for (const path of entries) {
    if (found.has(path)) continue;
    found.add(path);
    reached(staticImports(path, inputs), inputs, found);
  }
  return found;
}

// taken: {file: its used names}; all names of other files are used.
const exportsOf = (files, taken = {}) => ({
  contents: files.map((path) => (
    `export ${taken[path] ? `{ ${[...taken[path]].join(", ")} }` : "*"} from "./${path}";`
  )).join("\n"),
  resolveDir: root,
});

// `later` imports the whole first script. So esbuild makes one script of it, `main`, and `entry`, which only
// imports that and is not used. Else what both need would be a third script: one request more before the first
// rows, and more bytes.
// built: {group: the name of its file}, which the other scripts need before the file is made.
const laterPlugin = ({ later, taken }, built) => ({
  name: "later",
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
      if (path === LATER) return { path: "later", namespace: "later" };
      if (kind !== "dynamic-import") return undefined;
      const group = groupOf(relative(root, join(resolveDir, path)).split(sep).join("/"));
      return group ? { path: `./${basename(built[group])}`, external: true }
        : { path: "later", namespace: "later" };
    });
    build.onLoad({ filter: /./, namespace: "later" }, () => {
      const { contents, resolveDir } = exportsOf(later, taken);
      return { contents: `import "./static/${DASHBOARD}";\n${contents}`, resolveDir };
    });
  },
});

// A group may load another one, and may have a package of its own.
const groupPlugin = ({ entries, own }, laterName, built) => ({
  name: "group",
  setup(build) {
    build.onResolve({ filter: /^group$/ }, () => ({ path: "group", namespace: "group" }));
    build.onResolve({ filter: /./ }, ({ kind, path, resolveDir, namespace }) => {
      const file = relative(root, join(resolveDir, path)).split(sep).join("/");
      const isOwnPackage = [...own].some((name) => name.includes(`node_modules/${path}/`));
      if (namespace === "group" || own.has(file) || isOwnPackage) return undefined;
      const other = kind === "dynamic-import" && groupOf(file);
      if (other) return { path: `./${basename(built[other])}`, external: true };
      return { path: `./${basename(laterName)}`, external: true };
    });
    build.onLoad({ filter: /./, namespace: "group" }, () => exportsOf(entries));
  },
});

// Returns {name in the source: name of the built file}.
async function bundle() {
  const split = await parts();
  const scripts = await fingerprint(names.filter((name) => name.endsWith(".js")));
  const built = Object.fromEntries(Object.keys(GROUPS).map((name) => (
    [name, name.replace(".js", `-${scripts.slice(0, 8).toUpperCase()}.js`)])));
  const [first, whole] = await Promise.all([
    esbuild.build({
      ...options, splitting: true,
      entryPoints: [{ in: join(source, DASHBOARD), out: "js/entry" }, { in: LATER, out: "js/later" }],
      plugins: [webSocketAlone, laterPlugin(split, built)],
    }),
    esbuild.build({ ...options, entryPoints: paths(PAGES) }),
  ]);
  const outputs = { ...first.metafile.outputs, ...whole.metafile.outputs };
  const files = {};
  for (const [path, { entryPoint, imports }] of Object.entries(outputs)) {
    if (entryPoint === `static/${DASHBOARD}`) files[DASHBOARD] = nameOf(theOnly(imports).path);
    else if (entryPoint === "later:later") files[LATER] = nameOf(path);
    else if (entryPoint) files[entryPoint.replace("static/", "")] = nameOf(path);
    if (path.endsWith(".woff2")) files[`fonts/${basename(path).replace(/-[A-Z0-9]+\.woff2$/, "")}`] = nameOf(path);
  }
  await Promise.all(split.groups.map((group) => esbuild.build({
    ...options, entryPoints: ["group"], entryNames: built[group.name].replace(/\.js$/, ""),
    plugins: [groupPlugin(group, files[LATER], built)],
  })));
  return Object.assign(files, built);
}

function theOnly(imports) {
  if (imports.length !== 1) throw new Error(`${imports.length} scripts before the first rows`);
  return imports[0];
}

async function copy(name) {
  const content = await readFile(join(source, name));
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase();
  const to = name.replace(/(\.\w+)$/, `-${hash}$1`);
  await mkdir(dirname(join(out, to)), { recursive: true });
  await writeFile(join(out, to), content);
  return [name, to];
}

async function compress(name) {
  const path = join(out, name);
  const content = await readFile(path);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await Promise.all([
    packed.brotli(content, quality).then((data) => writeFile(`${path}.br`, data)),
    packed.gzip(content, { level: 9 }).then((data) => writeFile(`${path}.gz`, data)),
  ]);
}

async function filesBelow(folder) {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath ?? each.path, each.name)).split(sep).join("/"))
    .sort();
}

// Returns a hash of all inputs of the bundle.
async function fingerprint(names) {
  const hash = createHash("sha256");
  const tools = ["tools/bundle.mjs", "package-lock.json"].map((name) => join(root, name));
  for (const path of [...paths(names), ...tools]) hash.update(path.slice(root.length)).update(await readFile(path));
  return hash.digest("hex");
}

async function removeOld() {
  for (const name of await filesBelow(out)) {
    const path = join(out, name);
    if (Date.now() - (await stat(path)).mtimeMs > KEPT_MS) await rm(path);
  }
}

const names = (await filesBelow(source)).filter((name) => !name.startsWith("build/"));
const sources = await fingerprint(names);
const made = await readFile(manifestPath, "utf8").then(JSON.parse, () => null);
if (process.argv.includes("--if-changed") && made?.sources === sources) {
  await utimes(manifestPath, new Date(), new Date()); // the server compares it with the source's
} else {
  await mkdir(out, { recursive: true });
  const files = await bundle();
  const copied = await Promise.all(names.filter((name) => COPIED.test(name)).map(copy));
  Object.assign(files, Object.fromEntries(copied));
  const written = Object.values(files);
  await Promise.all(written.filter((name) => COMPRESSED.test(extname(name))).map(compress));
  await removeOld();
  await writeFile(manifestPath, JSON.stringify({ sources, files }, null, 1));
  console.error(`static/build: ${written.length} files`);
}
