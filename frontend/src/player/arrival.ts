/** Arrival: what a link says about the person who opens it. */

import { RECRUITER_IDS, RECRUITER_OF } from "../schema";

/** What MTurk says in place of an assignment while somebody only looks at a task. */
const MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE";
const PLACEHOLDER = /^[{[%$<].*[}\]%>]$/;

export interface Arrival {
  readonly recruiter: Record<string, string>;
  readonly isPreview: boolean;
  /** The recruiter left its placeholder where somebody's id belongs: everybody would be taken for one person. */
  readonly isUnnamed: boolean;
  /** Where the person comes from, such as prolific; null where the link does not say. */
  readonly cameFrom: string | null;
}

/** Returns the language that a link asks for, or the browser's. */
export function languageOf(query: Record<string, string>): string {
  return query["lang"] ?? navigator.language;
}

/** Returns the storage of this tab; null where the browser refuses it. */
export function storageOf(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

export function arrivalFrom(query: Record<string, string>): Arrival {
  const { lang: _, preview, ...recruiter } = query;
  const named: Readonly<Record<string, string>> = RECRUITER_OF;
  const parameter = RECRUITER_IDS.find((name) => recruiter[name]?.trim());
  return {
    recruiter,
    cameFrom: named[parameter ?? ""] ?? null,
    isPreview: preview !== undefined || recruiter["assignmentId"] === MTURK_PREVIEW,
    isUnnamed: RECRUITER_IDS.some((name) => PLACEHOLDER.test(recruiter[name]?.trim() ?? "")),
  };
}
