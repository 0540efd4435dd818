/** Labels: the names somebody gave the dials of a model stay there in the next question about it. */

const given = new Map<string, readonly string[]>();

export function rememberLabels(address: string, labels: readonly string[]): void {
  given.set(address, labels);
}

export function labelsOf(address: string): readonly string[] {
  return given.get(address) ?? [];
}
