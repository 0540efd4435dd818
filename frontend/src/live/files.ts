/** Files: where the large files that lie next to the scripts are found; a notebook hands them over in memory. */

let addressOf = (name: string) => new URL(name, import.meta.url).href;

/** Returns the address of a file that the build wrote next to the scripts. */
export function fileAddress(name: string): string {
  return addressOf(name);
}

/** Finds files by another rule from now on. */
export function findFilesBy(rule: (name: string) => string): void {
  addressOf = rule;
}
