/** Modules: loads what draws the tasks and explanations of other packages, and nothing that the study does not list. */

import type { BrowserModules } from "../schema";
import { type Render, taskPluginFrom } from "../shared/task";
import { registerTask } from "../tasks";
import { registerView, type View } from "../views";
import { understudy, VERSION } from "./api";
import type { Drawn, ExtensionModule } from "./understudy-extension";

/** Fetches and runs a module; tests bring their own. */
export type Import = (url: string) => Promise<Partial<ExtensionModule>>;

const imported: Import = (url) => import(url);

/** Returns the addresses of a study's modules. */
export function moduleAddresses({ tasks, kinds }: BrowserModules): string[] {
  return [...new Set([...Object.values(tasks), ...Object.values(kinds)])];
}

/** Loads the modules of a study and registers what it needs of them; throws a sentence where that cannot be. */
export async function loadModules(
  modules: BrowserModules,
  media: (address: string) => string,
  load: Import = imported,
): Promise<void> {
  const addresses = moduleAddresses(modules);
  const drawn = await Promise.all(addresses.map((address) => drawnBy(address, media(address), load)));
  const by = new Map(addresses.map((address, index) => [address, drawn[index] ?? {}]));
  for (const [name, address] of Object.entries(modules.tasks)) {
    const render = found(by.get(address)?.tasks, name, `the task ${name}`, address);
    registerTask(name, taskPluginFrom(name, "1", render as unknown as Render));
  }
  for (const [name, address] of Object.entries(modules.kinds)) {
    const view = found(by.get(address)?.views, name, `the explanation kind ${name}`, address);
    registerView(name, view as unknown as View);
  }
}

async function drawnBy(address: string, media: string, load: Import): Promise<Drawn> {
  // An address without a host would be taken for the name of a package.
  const module = await load(new URL(media, document.baseURI).href);
  if (module.version !== VERSION) {
    const asked = module.version === undefined ? "says no version" : `asks for version ${String(module.version)}`;
    throw new Error(`${short(address)} ${asked} of understudy's helpers; this page has version ${VERSION}`);
  }
  if (typeof module.default !== "function") throw new Error(`${short(address)} has no function as its default export`);
  return module.default(understudy);
}

function found<T>(drawn: Readonly<Record<string, T>> | undefined, name: string, what: string, address: string): T {
  const made = drawn && Object.hasOwn(drawn, name) ? drawn[name] : undefined;
  if (typeof made !== "function") throw new Error(`${short(address)} does not draw ${what}`);
  return made;
}

/** Enough of a digest to find the file by. */
function short(address: string): string {
  return `module ${address.slice(0, 12)}…`;
}
