/** Labels: the names somebody gave the dials of a model stay there in the next question about it, also after a reload. */

const PREFIX = "understudy:labels:";
const given = new Map<string, string>();

/** Keeps the names for the rest of a session; on this page alone where the browser stores nothing. */
export function rememberLabels(sessionId: string, address: string, labels: readonly string[]): void {
  const [key, text] = [keyOf(sessionId, address), JSON.stringify(labels)];
  given.set(key, text);
  stored((storage) => storage.setItem(key, text));
}

export function labelsOf(sessionId: string, address: string): readonly string[] {
  const key = keyOf(sessionId, address);
  const text = given.get(key) ?? stored((storage) => storage.getItem(key));
  const labels: unknown = text ? JSON.parse(text) : [];
  return Array.isArray(labels) ? labels.map(String) : [];
}

/** Takes all names off this computer, when a session is over. */
export function forgetLabels(): void {
  given.clear();
  stored((storage) => {
    for (const key of Object.keys(storage)) if (key.startsWith(PREFIX)) storage.removeItem(key);
  });
}

function keyOf(sessionId: string, address: string): string {
  return `${PREFIX}${sessionId}:${address}`;
}

function stored<T>(used: (storage: Storage) => T): T | null {
  try {
    return used(sessionStorage);
  } catch {
    return null;
  }
}
