/** Places of a preview: which page an address names, and the address of each page. */

import type { PreviewCondition, PreviewContents, PreviewPage } from "../schema";

export interface Place {
  readonly condition: PreviewCondition;
  /** Counted from 1; one more than there are pages is the end. */
  readonly page: number;
  /** Another item in place of the page's own. */
  readonly trial: string | null;
  readonly language: string;
}

/** Returns the pages of a condition in order, without its parts. */
export function pagesOf(condition: PreviewCondition): PreviewPage[] {
  return condition.parts.flatMap((part) => part.pages);
}

/** Returns the place that an address names; null for the contents. */
export function placeFrom(query: URLSearchParams, contents: PreviewContents): Place | null {
  const condition = contents.conditions.find(({ name }) => name === query.get("condition"));
  if (!condition) return null;
  const asked = Number(query.get("page") ?? 1);
  const page = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), condition.n_pages + 1) : 1;
  return { condition, page, trial: query.get("trial"), language: query.get("lang") ?? contents.language };
}

/** Returns the part of an address that opens a place. */
export function addressOf(place: Pick<Place, "page" | "language"> & { condition: string; trial?: string }): string {
  const query = new URLSearchParams({ condition: place.condition, page: String(place.page) });
  if (place.trial) query.set("trial", place.trial);
  query.set("lang", place.language);
  return `?${query}`;
}

/** Returns the page before or after a place; null beyond the first and the end. */
export function neighbour(place: Place, step: 1 | -1): string | null {
  const page = place.page + step;
  if (page < 1 || page > place.condition.n_pages + 1) return null;
  return addressOf({ condition: place.condition.name, page, language: place.language });
}
