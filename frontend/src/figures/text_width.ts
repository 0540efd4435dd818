/** How wide a text is, where no font can be asked. */

// The shares are those of DejaVu Sans, the widest of the fonts that figures name, so that no reader's font is cut off.
const LETTERS: readonly (readonly [number, string])[] = [
  [0.29, "'ijlIJ"],
  [0.33, " ,.·’/:;\\|"],
  [0.36, "f-"],
  [0.4, "()[]t!²r"],
  [0.5, '"*_`–°'],
  [0.54, "sz“”?c"],
  [0.59, "LFkχvxyP"],
  [0.69, "KαAVÄBRXZC"],
  [0.76, "UÜHNDG&"],
  [0.83, "OQÖw#+<=>^~×−≥≤±ωM"],
  [0.98, "%mW@—…"],
];
const SHARES = new Map(LETTERS.flatMap(([share, letters]) => [...letters].map((letter) => [letter, share] as const)));
const OTHER = 0.63;
const BOLD = 1.1;

/** Returns the width of a text in pixels. */
export function textWidth(text: string, size: number, weight: number | string = 400): number {
  const shares = [...text].reduce((sum, letter) => sum + (SHARES.get(letter) ?? OTHER), 0);
  return shares * size * (weight === "bold" || Number(weight) >= 600 ? BOLD : 1);
}
