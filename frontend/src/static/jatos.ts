/** JATOS: the few calls of its documented jatos.js that a session needs. */

export interface Jatos {
  onLoad(ready: () => void): void;
  submitResultData(text: string): Promise<unknown>;
  endStudy(isSuccessful: boolean, message: string): unknown;
  abortStudy(message: string): unknown;
  readonly urlQueryParameters?: Readonly<Record<string, string>>;
  readonly batchSession?: { get(name: string): unknown; set(name: string, value: unknown): Promise<unknown> };
}

const COUNTER = "understudy_next";
const TRIES = 8;

/** Returns JATOS once it is ready; null on a page that has no jatos.js. */
export async function foundJatos(view: object = window): Promise<Jatos | null> {
  const jatos = (view as { jatos?: Jatos }).jatos;
  if (!jatos) return null;
  await new Promise<void>((resolve) => jatos.onLoad(resolve));
  return jatos;
}

/** Takes the next number of the batch, counted from 0; null where the batch cannot count. */
export async function nextInBatch(jatos: Jatos): Promise<number | null> {
  for (let attempt = 0; jatos.batchSession && attempt < TRIES; attempt += 1) {
    const held = jatos.batchSession.get(COUNTER);
    const next = typeof held === "number" ? held : 0;
    try {
      // JATOS refuses the change when somebody else made one in between.
      await jatos.batchSession.set(COUNTER, next + 1);
      return next;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt * Math.random()));
    }
  }
  return null;
}
