/** Builds the front end into src/understudy/_web: one script and one style per page, named by their content. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "src", "understudy", "_web");

/** The digest of all sources, as the server takes it: path, NUL, SHA-256 of the content, in the order of paths. */
async function sourceDigest() {
  const sources = join(here, "src");
  const found = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(sources, join(entry.parentPath ?? entry.path, entry.name)));
  const hash = createHash("sha256");
  for (const path of files.map((file) => file.split(sep).join("/")).sort()) {
    hash.update(`${path}\0`).update(
      createHash("sha256")
        .update(await readFile(join(sources, path)))
        .digest(),
    );
  }
  return hash.digest("hex");
}

async function pages() {
  return (await readdir(join(here, "src"))).filter((name) => /^\w+\.html$/.test(name)).map((name) => name.slice(0, -5));
}

/** What all scripts share; what a page imports only when it needs it lies in files of its own. */
const SCRIPTS = {
  outdir: join(target, "assets"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".wasm": "file" },
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  // jsPsych brings a word list and a seeded generator for its own randomness, of which our pages use nothing.
  alias: {
    "random-words": join(here, "unused_randomness.mjs"),
    "seedrandom/lib/alea.js": join(here, "unused_randomness.mjs"),
  },
};

/** Decodes outside the page; built first, since the pages call it by its name. */
async function buildWorker() {
  const result = await build({ ...SCRIPTS, entryPoints: { "decoder-worker": join(here, "src", "live", "worker.ts") } });
  const [path] = Object.entries(result.metafile.outputs).find(([, output]) => output.entryPoint?.endsWith("worker.ts"));
  return path.split("/").at(-1);
}

/** Builds a page; its file has the title in the first line and then the body, and the shell is shared. */
async function buildPage(page, worker) {
  const result = await build({
    ...SCRIPTS,
    entryPoints: {
      [page]: join(here, "src", `${page}.ts`),
      [`${page}-style`]: join(here, "src", "style", `${page}.css`),
    },
    define: { DECODER_WORKER: JSON.stringify(worker) },
  });
  const outputs = Object.entries(result.metafile.outputs).filter(
    ([path, output]) => output.entryPoint && path.includes(`/${page}-`),
  );
  const named = (extension) => outputs.map(([path]) => path.split("/").at(-1)).find((name) => name.endsWith(extension));
  const parts = {
    style: `/static/${named(".css")}`,
    script: `/static/${named(".js")}`,
    first: await first(page),
    early: early(outputs),
  };
  const html = await pageText(`${page}.html`, parts);
  await writeFile(join(target, `${page}.html`), html);
  // What people read before any script has come, in other languages than English.
  const translations = (await readdir(join(here, "src"))).filter((name) => name.match(`^${page}\\.\\w+\\.html$`));
  for (const name of translations) {
    const language = name.split(".").at(1);
    const translated = (await pageText(name, parts)).replace('lang="en"', `lang="${language}"`);
    await writeFile(join(target, name), translated);
  }
  let bytes = gzipSync(html).length;
  // With what the script imports: a page cannot start without it.
  const [, { imports }] = outputs.find(([path]) => path.endsWith(".js"));
  for (const name of [named(".js"), named(".css"), ...staticImports(imports)])
    bytes += gzipSync(await readFile(join(target, "assets", name))).length;
  console.log(`${page}: ${(bytes / 1000).toFixed(1)} kB gzip`);
  return bytes;
}

/** Returns the whole page; its own file has the title in the first line and then the body. */
async function pageText(name, parts) {
  const [title, ...body] = (await readFile(join(here, "src", name), "utf8")).trimEnd().split("\n");
  const whole = { ...parts, title, body: body.join("\n    ") };
  const shell = await readFile(join(here, "src", "shared", "page.html"), "utf8");
  return shell.replace(/<!-- (\w+) -->/g, (_, part) => whole[part]);
}

/** Returns the file names of what a script imports before it runs. */
function staticImports(imports) {
  const statics = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
  return statics.map(({ path }) => path.split("/").at(-1));
}

/** Returns the links by which what a page's script imports is fetched along with it. */
function early(outputs) {
  const [, { imports }] = outputs.find(([path]) => path.endsWith(".js"));
  return staticImports(imports)
    .map((name) => `\n    <link rel="modulepreload" href="/static/${name}">`)
    .join("");
}

/** Returns a small script that asks the server before anything else, where a page has one. */
async function first(page) {
  const source = join(here, "src", `${page}_start.ts`);
  if (!existsSync(source)) return "";
  // No module, and before the style: modules come later, and wait for each other. Nothing waits for this one, since
  // people read the first words before any script is there. Without splitting: an import of its own would cost the time
  // that it saves.
  const entryPoints = { [`${page}-start`]: source };
  const result = await build({ ...SCRIPTS, splitting: false, format: "iife", entryPoints });
  const [path] = Object.keys(result.metafile.outputs);
  return `\n    <script async fetchpriority="high" src="/static/${path.split("/").at(-1)}"></script>`;
}

/** The style of the server's own short pages; they are written without a build, so its name must not change. */
async function buildNotice() {
  await build({
    entryPoints: [join(here, "src", "style", "notice.css")],
    outdir: join(target, "assets"),
    bundle: true,
    minify: true,
    charset: "utf8",
    logLevel: "warning",
  });
}

/** Concept tests: a script and a style that Python puts into a page of its own, and a module for notebooks. */
async function buildProbe() {
  const common = {
    bundle: true,
    minify: true,
    charset: "utf8",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  };
  const written = join(target, "probe.css");
  await build({ ...common, entryPoints: [join(here, "src", "style", "probe.css")], outfile: written });
  const style = (await readFile(written, "utf8")).trim();
  const from = (name) => join(here, "src", "probe", name);
  await build({
    ...common,
    entryPoints: [from("page.ts")],
    outfile: join(target, "probe.js"),
    format: "iife",
    globalName: "understudyProbe",
  });
  const define = { PROBE_STYLE: JSON.stringify(style) };
  await build({
    ...common,
    entryPoints: [from("widget.ts")],
    outfile: join(target, "probe_widget.js"),
    format: "esm",
    define,
  });
  const bytes = gzipSync(await readFile(join(target, "probe.js"))).length + gzipSync(style).length;
  console.log(`probe: ${(bytes / 1000).toFixed(1)} kB gzip`);
  return bytes;
}

/** The widget of notebooks: one module that holds the whole page of its frame, since a cell cannot load files. */
async function buildNotebook() {
  const inside = { ...SCRIPTS, outdir: target, entryNames: "[name]", splitting: false, write: false };
  const from = (...names) => join(here, "src", ...names);
  const text = (built, ending) => built.outputFiles.find(({ path }) => path.endsWith(ending)).text;
  const style = text(await build({ ...inside, entryPoints: [from("style", "notebook.css")] }), ".css");
  const script = text(
    await build({
      ...inside,
      entryPoints: [from("notebook", "page.ts")],
      format: "iife",
      // A frame without an address of its own takes that of the notebook; it has no other thread to decode in.
      define: { "import.meta.url": "document.baseURI", DECODER_WORKER: '""' },
    }),
    ".js",
  );
  // Inside a script, only the end of an element could end it.
  const whole = `<!doctype html><meta charset="utf-8"><style>${style}</style><div id="player"></div><script>${script.replaceAll("</", "<\\/")}</script>`;
  // Also on its own, for pages that hold a task to try.
  await writeFile(join(target, "notebook_page.html"), `${whole}\n`);
  const written = join(target, "notebook_widget.js");
  await build({
    ...inside,
    write: true,
    outdir: undefined,
    outfile: written,
    entryPoints: [from("notebook", "widget.ts")],
    define: { NOTEBOOK_PAGE: JSON.stringify(whole) },
  });
  const bytes = gzipSync(await readFile(written)).length;
  console.log(`notebook: ${(bytes / 1000).toFixed(1)} kB gzip`);
  return bytes;
}

/** Our tasks as plugins for somebody else's jsPsych page: a folder to copy, with everything that they run on. */
async function buildJsPsych() {
  const folder = join(target, "jspsych");
  const common = { ...SCRIPTS, outdir: folder, entryNames: "[name]" };
  const from = (...names) => join(here, "src", ...names);
  await build({ ...common, entryPoints: { "decoder-worker": from("live", "worker.ts") } });
  await build({
    ...common,
    entryPoints: { "understudy-tasks": from("jspsych.ts") },
    define: { DECODER_WORKER: JSON.stringify("decoder-worker.js") },
  });
  const style = { "understudy-tasks": from("style", "jspsych.css") };
  await build({ ...common, splitting: false, entryPoints: style });
  for (const name of await readdir(from("jspsych"))) await copyFile(from("jspsych", name), join(folder, name));
  let bytes = 0;
  for (const name of ["understudy-tasks.js", "understudy-tasks.css"])
    bytes += gzipSync(await readFile(join(folder, name))).length;
  console.log(`jspsych: ${(bytes / 1000).toFixed(1)} kB gzip`);
  return bytes;
}

await rm(target, { recursive: true, force: true });
await mkdir(join(target, "assets"), { recursive: true });
const sizes = {};
const worker = await buildWorker();
for (const page of await pages()) sizes[page] = await buildPage(page, worker);
await buildNotice();
sizes.probe = await buildProbe();
sizes.notebook = await buildNotebook();
sizes.jspsych = await buildJsPsych();
await copyFile(join(here, "src", "extensions", "understudy-extension.d.ts"), join(target, "understudy-extension.d.ts"));
await writeFile(
  join(target, "BUILD.json"),
  `${JSON.stringify({ frontend_digest: await sourceDigest(), gzip_bytes: sizes }, null, 2)}\n`,
);
