/** What a small script asked for and opened before the page's own script had come. */

import type { Shelf } from "./shelf";
import type { Started } from "./state";

declare global {
  interface Window {
    /** What was asked early, shared by two scripts; null once the page's own script takes over. */
    understudyStart?: Promise<Started | null> | null;
    /** Whether the answer is there already. */
    understudyStarted?: boolean;
    understudyShelf?: Promise<Shelf>;
  }
}

export const EARLY = {
  /** Whether nobody has asked yet. */
  get isFree(): boolean {
    return window.understudyStart === undefined;
  },
  /** Whether the answer can be taken without waiting. */
  get isAnswered(): boolean {
    return window.understudyStarted === true;
  },
  leave(answer: Promise<Started | null>): void {
    window.understudyStart = answer;
    void answer.then((started) => {
      window.understudyStarted = started !== null;
    });
  },
  /** Takes the answer, once; null when nobody asked or it did not work, and then it has to be asked again. */
  async take(): Promise<Started | null> {
    const answer = window.understudyStart ?? null;
    window.understudyStart = null;
    return answer;
  },
  leaveShelf(shelf: Promise<Shelf>): void {
    window.understudyShelf = shelf;
  },
  /** The shelf that is being opened, if it is. */
  get shelf(): Promise<Shelf> | null {
    return window.understudyShelf ?? null;
  },
};
