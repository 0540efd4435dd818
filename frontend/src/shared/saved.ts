/** Saved: what earlier pages of the same trial wrote down. */

import type { Interactions, SavedEvent } from "../schema";

export type Action = keyof Interactions;
type SavedAs<A extends Action> = { readonly action: A; readonly payload: Interactions[A] };

/** What a page writes down with an action; anything for the actions of tasks from elsewhere. */
export type PayloadOf<A extends string> = A extends Action ? Interactions[A] : SavedEvent["payload"];

/** Tells whether a saved event is of an action.
 *
 * The page is held to the types when it writes, and the server gives back what was written: this is where that is taken
 * for granted.
 */
export function isSaved<A extends Action>(event: Pick<SavedEvent, "action">, action: A): event is SavedAs<A> {
  return event.action === action;
}

/** What was written down with an action, in order. */
export function allSaved<A extends Action>(saved: readonly SavedEvent[], action: A): Interactions[A][] {
  return saved.flatMap((event) => (isSaved(event, action) ? [event.payload] : []));
}

/** What was last written down with an action. */
export function lastSaved<A extends Action>(saved: readonly SavedEvent[], action: A): Interactions[A] | undefined {
  return allSaved(saved, action).at(-1);
}
