/** The participant's page: takes a place in the study, then shows what the server says until the end. */

import { Api, Refused } from "./player/api";
import { arrivalFrom, languageOf, storageOf } from "./player/arrival";
import { Clock } from "./player/clock";
import { Conductor } from "./player/conductor";
import { guardDoubleClicks } from "./player/double_click";
import { EARLY } from "./player/early";
import { watchFocus } from "./player/focus";
import { type Host, Insecure } from "./player/host";
import { message, question, wayBack } from "./player/messages";
import { Outbox } from "./player/outbox";
import { openShelf } from "./player/shelf";
import { Shell } from "./player/shell";
import { standInOf } from "./player/stand_in";
import type { State, StudyRefused } from "./player/state";
import { holdSession } from "./player/tabs";
import { fetchLater } from "./player/task_pages";
import { Voice } from "./player/voice";
import { askToStop } from "./player/withdraw";
import { type Texts, textsFor } from "./shared/texts";

const query = Object.fromEntries(new URLSearchParams(location.search));
const wanted = languageOf(query);
const storage = storageOf();
const root = document.querySelector<HTMLElement>("#player") ?? document.body;
const api: Host = await hostOf();
/** Spoken until the study says its own, and to people who are not let in: the page was sent in the study's language. */
const first = textsFor(query["lang"] || document.documentElement.lang || wanted);
const shell = new Shell(root, first);
/** Opened while the server is asked: both take time. */
const shelf = EARLY.shelf ?? openShelf();
guardDoubleClicks(document.documentElement);

void begin();

/** Only a page without a server needs the host that replaces it. */
async function hostOf(): Promise<Host> {
  if (root.dataset["host"] !== "static") return new Api(location.pathname, storage);
  const { StaticHost } = await fetchLater();
  return new StaticHost();
}

async function begin(): Promise<void> {
  const waiting = message({ heading: first.loading, tone: "loading" });
  // Where the first page is about to replace it, nobody has to be led to it: that would lay out the page twice.
  if (EARLY.isAnswered) shell.stage.replaceChildren(waiting);
  else shell.show(waiting);
  try {
    const { recruiter, isPreview, isUnnamed } = arrivalFrom(query);
    const { ends } = first;
    if (isUnnamed && !isPreview) return shell.show(message({ heading: ends.unnamed, text: ends.unnamedText }));
    const started = (await EARLY.take()) ?? (await api.start(recruiter, wanted, isPreview));
    if ("token" in started) api.keep?.(started.token);
    if ("full" in started)
      shell.show(
        message({
          heading: ends.full,
          text: ends.fullText,
          more: [wayBack(started.redirect ?? null, first, true)],
        }),
      );
    else if ("refused" in started) shell.show(refusal(started, first));
    else await enter(started);
  } catch (error) {
    const { ends, retry } = first;
    shell.show(question(ends.error, reasonOf(error), retry, () => location.reload()));
  }
}

function refusal({ refused, redirect }: StudyRefused, texts: Texts): HTMLElement {
  const { ends } = texts;
  const words: Record<StudyRefused["refused"], [string, string]> = {
    link: [ends.link, ends.linkText],
    paused: [ends.paused, ends.pausedText],
    erased: [ends.erasedBefore, ends.erasedBeforeText],
    uninvited: [ends.uninvited, ends.uninvitedText],
    early: [ends.early, ends.earlyText],
    late: [ends.late, ends.lateText],
    repeat: [ends.repeat, ends.repeatText],
  };
  const [heading, text] = words[refused];
  return message({ heading, text, more: [wayBack(redirect ?? null, texts, true)] });
}

function reasonOf(error: unknown): string {
  const { ends, still } = first;
  if (error instanceof Insecure) return still.insecure;
  return error instanceof Refused ? `${ends.errorText} (${error.status})` : ends.errorText;
}

async function enter(state: State): Promise<void> {
  const texts = textsFor(state.study.language);
  shell.speak(texts, state.study.language);
  shell.follow(state);
  let lost: () => void = () => undefined;
  const hold = await holdSession(`${state.study.name}:${api.sessionId}`, () => lost());
  const here = () => location.reload();
  if (!hold.isMine && !state.ended) {
    const goOn = async () => {
      await hold.take();
      lost = () => undefined;
      here();
    };
    shell.cover(question(texts.tabs.heading, texts.tabs.text, texts.tabs.here, () => void goOn()));
    return;
  }
  const { outbox, conductor, voice } = await opened(state);
  lost = () => {
    outbox.close();
    voice?.follow(null);
    shell.cover(question(texts.tabs.moved, texts.tabs.movedText, texts.tabs.here, here));
  };
  await conductor.run();
}

async function opened(first: State): Promise<{ outbox: Outbox; conductor: Conductor; voice: Voice | null }> {
  const texts = textsFor(first.study.language);
  const clock = new Clock();
  const { cameFrom: recruiter } = arrivalFrom(query);
  let conductor: Conductor | null = null;
  const outbox = new Outbox(api.sessionId, await shelf, api, {
    connection: (isThere) => shell.connection(isThere),
    overtaken: (state) => (state?.ended ? conductor?.end(state) : location.reload()),
  });
  const state = first.ended || first.skin.is_preview ? first : await outbox.open(first);
  const record = api.record?.bind(api);
  const voice = record
    ? new Voice({
        texts,
        sessionId: api.sessionId,
        place: shell.voice,
        storage,
        at_ms: () => clock.at_ms(),
        log: (action, payload) => conductor?.log(action, payload),
        send: record,
      })
    : null;
  const made = new Conductor({ api, outbox, clock, shell, texts, standIn: standInOf(window), voice, recruiter }, state);
  conductor = made;
  clock.listen(document);
  shell.stop.onclick = () =>
    askToStop(texts, {
      mayRestart: state.study.may_restart,
      isPaid: state.study.pay !== null,
      chosen: async (erase) => {
        if (!erase) await outbox.flush(true);
        made.end(await api.withdraw(erase));
      },
    });
  watchFocus({
    changed(action) {
      made.log(action, {});
      if (action === "page_hidden") clock.hide();
      if (action === "page_shown") clock.show();
    },
    leaving() {
      made.saveDraft();
      outbox.leave();
    },
  });
  addEventListener("online", () => outbox.hurry());
  keepBackHarmless();
  return { outbox, conductor: made, voice };
}

/** The back button leads to this very page: an answer given is not taken back by it. */
function keepBackHarmless(): void {
  history.pushState({ understudy: true }, "");
  addEventListener("popstate", () => history.pushState({ understudy: true }, ""));
}
