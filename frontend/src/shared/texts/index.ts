/** The languages the player speaks; English stands in for the rest. */

import { de } from "./de";
import { en, type Texts } from "./en";

export type { Texts };

const LANGUAGES: Record<string, Texts> = { de, en };

/** Returns the texts of a language tag such as de or de-AT. */
export function textsFor(language: string): Texts {
  return LANGUAGES[language.toLowerCase().split("-")[0] ?? ""] ?? en;
}
