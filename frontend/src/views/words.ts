/** Words: a sentence kept as single tokens, put together again the way people write. */

const CLOSING = /^([,.;:!?%)\]}]+|…|n['’]t|['’](s|re|ve|ll|d|m|t))$/i;
const OPENING = /^([([{$£€#]|``)$/;
const JOINING = /^[-/]$/;
const QUOTE = /^(["'“”‘’]|''|``)$/;
const WORD = /[\p{L}\p{N}]/u;

/** Tells for each token whether a blank stands before it: none before commas, within quotes, around hyphens. */
export function blanksBefore(tokens: readonly string[]): boolean[] {
  const n_open = new Map<string, number>();
  let isGlued = true;
  return tokens.map((token, index) => {
    const wasGlued = isGlued;
    isGlued = OPENING.test(token) || (JOINING.test(token) && isBetweenWords(tokens, index));
    if (QUOTE.test(token)) {
      const n = n_open.get(token) ?? 0;
      n_open.set(token, n + 1);
      // The first of two quotes opens and the second closes; one that stays alone is an apostrophe.
      const isClosing = n % 2 === 1 || tokens.indexOf(token, index + 1) < 0;
      isGlued = !isClosing;
      return !wasGlued && !isClosing;
    }
    return !(wasGlued || CLOSING.test(token) || (JOINING.test(token) && isBetweenWords(tokens, index)));
  });
}

/** Writes tokens as one line of text. */
export function joined(tokens: readonly string[]): string {
  const blanks = blanksBefore(tokens);
  return tokens.map((token, index) => `${blanks[index] ? " " : ""}${token}`).join("");
}

/** Lays tokens out as a line in which single ones can be elements; the blanks between them stay outside. */
export function laidOut(
  tokens: readonly string[],
  draw: (token: string, index: number) => Node | string,
): (Node | string)[] {
  const blanks = blanksBefore(tokens);
  return tokens.flatMap((token, index) => (blanks[index] ? [" ", draw(token, index)] : [draw(token, index)]));
}

/** Places in the second list whose words do not stand in the first, found by the longest common part. */
export function changedPlaces(before: readonly string[], after: readonly string[]): Set<number> {
  if (before.length === after.length)
    return new Set([...after.keys()].filter((index) => before[index] !== after[index]));
  const kept = keptPlaces(before, after);
  return new Set([...after.keys()].filter((index) => !kept.has(index)));
}

function keptPlaces(before: readonly string[], after: readonly string[]): Set<number> {
  const longest = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (row: number, column: number) => longest[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const isSame = before[row] === after[column];
      (longest[row] as number[])[column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const kept = new Set<number>();
  for (let row = 0, column = 0; row < before.length && column < after.length; ) {
    if (before[row] === after[column]) {
      kept.add(column);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}

function isBetweenWords(tokens: readonly string[], index: number): boolean {
  return WORD.test(tokens[index - 1] ?? "") && WORD.test(tokens[index + 1] ?? "");
}
