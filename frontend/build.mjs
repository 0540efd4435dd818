/** Builds the front end into src/understudy/_web: one script and one style per page, named by their content. */

import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build as bundle } from "esbuild";

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

/** Folders of the packages whose code or file lies in what was built, as paths from here; of our jsPsych plugins too. */
const bundled = { all: new Set(), jspsych: new Set() };

/** Packages whose code lies inside the files of another, where no bundler sees it; a test looks for more of them. */
const INSIDE = { "d3-delaunay": ["delaunator", "robust-predicates"], "onnxruntime-web": ["onnxruntime-common"] };

/** Bundles, and notes whose packages went into it. */
async function build(options) {
  const result = await bundle({ ...options, metafile: true });
  for (const [output, { inputs }] of Object.entries(result.metafile.outputs))
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const [, folder, name] = input.match(/^(.*node_modules\/)((?:@[^/]+\/)?[^/]+)\//) ?? [];
      if (!name || bytesInOutput === 0) continue;
      for (const held of [name, ...(INSIDE[name] ?? [])]) {
        bundled.all.add(folder + held);
        if (output.includes("/jspsych/")) bundled.jspsych.add(folder + held);
      }
    }
  return result;
}

/** Writes the licences of the packages that were bundled, and returns the version in each folder. */
async function writeNotices(packages, path) {
  const versions = {};
  const texts = [
    "The scripts, styles and runtime in this folder and below hold software of others, under these licences.\n",
  ];
  for (const folder of [...packages].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    versions[folder] = version;
    texts.push(`${"=".repeat(80)}\n${name} ${version} (${license})\n\n${await licenceOf(name, folder)}\n`);
  }
  await writeFile(path, texts.join("\n"));
  return versions;
}

/** Returns the licence that lies in a package, or the one that we keep for a package that comes without. */
async function licenceOf(name, folder) {
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const paths = files.map((file) => join(folder, file));
  const kept = join(here, "licences", `${name.replace("/", "__")}.txt`);
  try {
    const texts = await Promise.all((paths.length ? paths : [kept]).map((path) => readFile(path, "utf8")));
    return texts.map((text) => text.replaceAll("\r\n", "\n").trim()).join("\n\n");
  } catch {
    throw new Error(`The package ${name} comes without its licence. Write it to ${relative(here, kept)}.`);
  }
}

/** How a file is bundled that is used alone. */
const SMALL = {
  bundle: true,
  minify: true,
  charset: "utf8",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
};

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
  const imports = imported(result.metafile.outputs, named(".js"));
  const parts = {
    style: `/static/${named(".css")}`,
    script: `/static/${named(".js")}`,
    early: early(imports),
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
  for (const name of [named(".js"), named(".css"), ...imports.atOnce, ...imports.later])
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

/** What the player fetches by itself once its first words, or its first page, can be seen. */
const REST = "src/player/session_page.ts";

/** Returns the file names of what a script imports before it runs, and of what the player needs to go on. */
function imported(outputs, script) {
  const whole = (path) =>
    outputs[path].imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
  const all = (path) => [...new Set([...whole(path), ...whole(path).flatMap(all)])];
  const atOnce = all(Object.keys(outputs).find((path) => path.endsWith(`/${script}`)));
  const rest = Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith(REST));
  const later = rest ? [rest, ...all(rest)].filter((path) => !atOnce.includes(path)) : [];
  const names = (paths) => paths.map((path) => path.split("/").at(-1));
  return { atOnce: names(atOnce), later: names(later) };
}

/** Returns the links by which what a page's script imports is fetched along with it; a server may leave `rest` out. */
function early({ atOnce, later }) {
  const link = (more) => (name) => `\n    <link rel="modulepreload"${more} href="/static/${name}">`;
  return [...atOnce.map(link("")), ...later.map(link(" data-rest"))].join("");
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
  const written = join(target, "probe.css");
  await build({ ...SMALL, entryPoints: [join(here, "src", "style", "probe.css")], outfile: written });
  const style = (await readFile(written, "utf8")).trim();
  const from = (name) => join(here, "src", "probe", name);
  await build({
    ...SMALL,
    entryPoints: [from("page.ts")],
    outfile: join(target, "probe.js"),
    format: "iife",
    globalName: "understudyProbe",
  });
  const define = { PROBE_STYLE: JSON.stringify(style) };
  await build({
    ...SMALL,
    entryPoints: [from("widget.ts")],
    outfile: join(target, "probe_widget.js"),
    format: "esm",
    define,
  });
  const bytes = gzipSync(await readFile(join(target, "probe.js"))).length + gzipSync(style).length;
  console.log(`probe: ${(bytes / 1000).toFixed(1)} kB gzip`);
  return bytes;
}

/** The figures of reports: a script that Python runs in an embedded engine, without a page. */
async function buildFigures() {
  const written = join(target, "figures.js");
  await build({
    ...SMALL,
    entryPoints: [join(here, "src", "figures", "drawing.ts")],
    outfile: written,
    format: "iife",
    globalName: "understudyFigures",
  });
  const bytes = gzipSync(await readFile(written)).length;
  console.log(`figures: ${(bytes / 1000).toFixed(1)} kB gzip`);
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

/** Our tasks as plugins for somebody else's jsPsych page: a folder to copy, without the runtime of live models. */
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
  // The runtime of live models is large and lies among the pages' files already; the how-to page copies it from there.
  for (const name of await readdir(folder)) if (name.endsWith(".wasm")) await rm(join(folder, name));
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
sizes.figures = await buildFigures();
sizes.notebook = await buildNotebook();
sizes.jspsych = await buildJsPsych();
await copyFile(join(here, "src", "extensions", "understudy-extension.d.ts"), join(target, "understudy-extension.d.ts"));
await writeNotices(bundled.jspsych, join(target, "jspsych", "NOTICES.txt"));
const packages = await writeNotices(bundled.all, join(target, "NOTICES.txt"));
await writeFile(
  join(target, "BUILD.json"),
  `${JSON.stringify({ frontend_digest: await sourceDigest(), gzip_bytes: sizes, packages }, null, 2)}\n`,
);
