/** Decoder: a live model in the browser, from a code to what is shown. */

export interface Decoder {
  /** How many numbers a code has, where the file says so. */
  readonly nInputs: number | null;
  /** Returns the output for one code; calls do not overlap. */
  decode(code: readonly number[]): Promise<Float32Array>;
  close(): void;
}

/** A decoder could not be fetched, opened or run, or gave no numbers. */
export class Undecodable extends Error {}
