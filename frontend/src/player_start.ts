/** Asks for a place in the study while the page's own, large script is still on its way; that one shows the answer. */

import { Api } from "./player/api";
import { arrivalFrom, languageOf, storageOf } from "./player/arrival";
import { EARLY } from "./player/early";
import { openShelf } from "./player/shelf";

const query = Object.fromEntries(new URLSearchParams(location.search));
const { recruiter, isPreview, isUnnamed } = arrivalFrom(query);
// If the page's own script was quicker, it has asked already: asking twice would take two places.
if (EARLY.isFree && (isPreview || !isUnnamed)) {
  const asking = new Api(location.pathname, storageOf()).start(recruiter, languageOf(query), isPreview);
  EARLY.leave(asking.catch(() => null));
  // The browser takes its time over this too, and the first page cannot be shown before.
  EARLY.leaveShelf(openShelf());
}
