/** SHA-256 of a text, at once: the browser's own is asynchronous, and absent on pages without https. */

const INITIAL = fractions(8, 1 / 2);
const CONSTANTS = fractions(64, 1 / 3);

/** Returns the digest as 64 hexadecimal digits. */
export function sha256(text: string): string {
  const words = padded(new TextEncoder().encode(text));
  const state = Uint32Array.from(INITIAL);
  for (let start = 0; start < words.length; start += 16) compress(state, words.subarray(start, start + 16));
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

function padded(bytes: Uint8Array): Uint32Array {
  const view = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  bytes.forEach((byte, index) => view.setUint8(index, byte));
  view.setUint8(bytes.length, 0x80);
  view.setUint32(view.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(view.byteLength - 4, (bytes.length * 8) >>> 0);
  return Uint32Array.from({ length: view.byteLength / 4 }, (_, index) => view.getUint32(index * 4));
}

function compress(state: Uint32Array, block: Uint32Array): void {
  const w = new Uint32Array(64);
  w.set(block);
  for (let t = 16; t < 64; t += 1) {
    const [far, near] = [at(w, t - 15), at(w, t - 2)];
    const s0 = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const s1 = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    w[t] = at(w, t - 16) + s0 + at(w, t - 7) + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let t = 0; t < 64; t += 1) {
    const t1 =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + at(CONSTANTS, t) + at(w, t)) | 0;
    const t2 = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] = at(state, index) + word));
}

/** The first 32 bits after the point of the square or cube roots of the first primes. */
function fractions(n: number, power: number): Uint32Array {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < n; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return Uint32Array.from(primes, (prime) => (prime ** power % 1) * 2 ** 32);
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function at(words: Uint32Array, index: number): number {
  return words[index] as number;
}
