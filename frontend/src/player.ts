/** The participant's page: asks for a place in the study and shows the first page, then fetches what the rest needs. */

import { Api } from "./player/api";
import { arrivalFrom, languageOf, storageOf } from "./player/arrival";
import { guardDoubleClicks } from "./player/double_click";
import { FirstPage } from "./player/first_page";
import type { Host } from "./player/host";
import { message, question } from "./player/messages";
import { framePassed } from "./player/painting";
import { resumedIn } from "./player/resumed";
import { openShelf } from "./player/shelf";
import { Shell } from "./player/shell";
import { standInOf } from "./player/stand_in";
import type { Started } from "./player/state";
import { fetchLater } from "./player/task_pages";
import { textsFor } from "./shared/texts";

const query = Object.fromEntries(new URLSearchParams(location.search));
const wanted = languageOf(query);
const storage = storageOf();
const root = document.querySelector<HTMLElement>("#player") ?? document.body;
/** Null where a static page conducts the session itself. */
const server = root.dataset["host"] === "static" ? null : new Api(location.pathname, storage);
const { recruiter, isPreview, isUnnamed } = arrivalFrom(query);
const mayAsk = isPreview || !isUnnamed;
/** Somebody who was here before, looks only, or is simulated need not begin at the beginning. */
const isNewcomer = server?.sessionId === "" && !isPreview && mayAsk && !standInOf(window);
/** Asked before anything is drawn, as is the browser for its shelf: both take time. */
const asked = server && mayAsk ? startedBy(server).catch(() => null) : Promise.resolve(null);
const shelf = openShelf(storage);
/** The page was sent in the study's language. */
const texts = textsFor(query["lang"] || document.documentElement.lang || wanted);
const shell = new Shell(root, texts);
guardDoubleClicks(document.documentElement);
const first = isNewcomer ? FirstPage.drawn(shell, document) : null;

void begin();

async function begin(): Promise<void> {
  // While people read, and not while the browser could draw what they read.
  if (first) {
    await framePassed(() => true);
    void fetchLater().catch(() => undefined);
  } else shell.stage.replaceChildren(message({ heading: texts.loading, tone: "loading" }));
  try {
    const [{ SessionPage }, host] = await Promise.all([import("./player/session_page"), hostOf()]);
    await new SessionPage({ query, wanted, storage, host, shell, texts, shelf, asked, first }).begin();
  } catch {
    shell.show(question(texts.ends.error, texts.ends.errorText, texts.retry, () => location.reload()));
  }
}

/** People who come back have the answer already: it came with the page. */
async function startedBy(api: Api): Promise<Started> {
  const resumed = isPreview || standInOf(window) ? null : resumedIn(document);
  if (!resumed) return api.start(recruiter, wanted, isPreview);
  api.keep(resumed.token);
  return resumed;
}

/** Only a page without a server needs the host that replaces it. */
async function hostOf(): Promise<Host> {
  return server ?? new (await fetchLater()).StaticHost();
}
