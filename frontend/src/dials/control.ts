/** Control: what a slider and a row of options have in common. */

import type { Hands } from "../shared/hands";

export interface Control {
  readonly element: HTMLElement;
  /** The numbers of a code that belong to the dial. */
  numbers(): number[];
  /** Puts the dial somewhere, as nobody's move. */
  put(numbers: readonly number[]): void;
  lock(): void;
  /** Moves the dial as a person would. */
  enter(numbers: readonly number[], hands: Hands): void;
}

export interface Moves {
  /** The dial was moved: up 1, down -1, to another option 0. */
  moved(dir: number): void;
  /** The hand left the dial. */
  released(): void;
}
