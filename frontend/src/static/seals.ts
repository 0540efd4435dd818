/** Seals: recognises a right answer without knowing it. */

import type { Json, JsonValue, StaticPlace } from "../schema";

/** Tells whether answers are right; null where the folder knows nothing about it. */
export async function isRight(
  place: StaticPlace,
  trialId: string,
  question: string | null,
  response: Json,
): Promise<boolean | null> {
  const key = place.answers[trialId];
  if (key) {
    const asked = question === null ? Object.keys(key) : Object.keys(key).filter((name) => name === question);
    if (asked.length === 0) return null;
    return asked.every((name) => markOf(response[name] ?? null) === markOf(key[name] ?? null));
  }
  const seals = place.seals[trialId] ?? [];
  const wanted = seals.find((seal) => seal.question === question);
  if (!wanted) return null;
  const told = wanted.questions.map((name) => markOf(response[name] ?? null)).join("");
  return (await derived(`${trialId}\u001f${told}`, place)) === wanted.seal;
}

/** Writes a value as the exporter does, so that equal values are written alike. */
export function markOf(value: JsonValue): string {
  if (value === null) return "z;";
  if (typeof value === "string") return `s${value.length}:${value};`;
  if (typeof value === "number" || typeof value === "boolean") {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setFloat64(0, Number(value) + 0);
    return `n${hex(bits.buffer)};`;
  }
  if (Array.isArray(value)) return `l${value.map(markOf).join("")};`;
  const names = Object.keys(value).sort();
  return `d${names.map((name) => markOf(name) + markOf(value[name] ?? null)).join("")};`;
}

async function derived(text: string, { salt, n_rounds }: StaticPlace): Promise<string> {
  const bytes = new Uint8Array((salt.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(text), "PBKDF2", false, ["deriveBits"]);
  return hex(
    await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt: bytes, iterations: n_rounds }, key, 256),
  );
}

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
