/** Breaks a text into lines without a page to measure it on. */

/** The mean width of a letter, in parts of the size of the type; bold letters of wide faces need the larger one. */
const LETTER = 0.53;
const WIDE_LETTER = 0.6;

/** Breaks a text into lines of at most a width, for a size of type. */
export function brokenLines(text: string, width: number, size: number): string[] {
  return filled(text, lettersIn(width, size * LETTER));
}

/** Breaks a text that may be bold into as few lines as fit, and makes them about equally long. */
export function evenLines(text: string, width: number, size: number): string[] {
  let most = lettersIn(width, size * WIDE_LETTER);
  let lines = filled(text, most);
  for (const wanted = lines.length; most > 8; most -= 1) {
    const shorter = filled(text, most - 1);
    if (shorter.length > wanted) break;
    lines = shorter;
  }
  return lines;
}

function lettersIn(width: number, letter: number): number {
  return Math.max(8, Math.floor(width / letter));
}

function filled(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
