/** Resumed: what the server says about a session that continues, sent along with the page to people who come back. */

import type { State } from "./state";

/** Where the server writes it; absent for newcomers. */
const PLACE = "#resumed";

/** Returns the state of the session that continues, with its token; null where the server has to be asked. */
export function resumedIn(document: Document): (State & { token: string }) | null {
  const written = document.querySelector(PLACE)?.textContent;
  return written ? JSON.parse(written) : null;
}
