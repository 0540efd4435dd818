/** Task pages: those that people meet first are here at once, the others come in a file of their own. */

import type { BrowserModules } from "../schema";
import type { TaskPlugin } from "../shared/task";
import { FIRST } from "../tasks/first";

let later: typeof import("../player_later") | null = null;

/** Fetches what did not come with the page. */
export async function fetchLater(): Promise<typeof import("../player_later")> {
  later ??= await import("../player_later");
  return later;
}

/** Whether a task can be drawn without fetching anything. */
export function isHere(name: string): boolean {
  return later !== null || Object.hasOwn(FIRST, name);
}

/** Finds a task among those that are here. */
export function taskHere(name: string): TaskPlugin | undefined {
  return later ? later.taskNamed(name) : FIRST[name];
}

/** Whether a study brings tasks or explanations of other packages. */
export function bringsModules({ tasks, kinds }: BrowserModules): boolean {
  return Object.keys(tasks).length + Object.keys(kinds).length > 0;
}

/** Loads the modules of a study; throws a sentence where that cannot be. */
export async function fetchModules(modules: BrowserModules, media: (address: string) => string): Promise<void> {
  const { loadModules } = await fetchLater();
  await loadModules(modules, media);
}
