/** The answer to a question that a small script asked before the page's own script had come. */

import type { Started } from "./state";

declare global {
  interface Window {
    /** What was asked early, shared by two scripts; null once the page's own script takes over. */
    understudyStart?: Promise<Started | null> | null;
  }
}

export const EARLY = {
  /** Whether nobody has asked yet. */
  get isFree(): boolean {
    return window.understudyStart === undefined;
  },
  leave(answer: Promise<Started | null>): void {
    window.understudyStart = answer;
  },
  /** Takes the answer, once; null when nobody asked or it did not work, and then it has to be asked again. */
  async take(): Promise<Started | null> {
    const answer = window.understudyStart ?? null;
    window.understudyStart = null;
    return answer;
  },
};
