/** The preview page: the contents of a study, or one of its pages as participants see it; nothing is stored. */

import { Clock } from "./player/clock";
import { Conductor } from "./player/conductor";
import { message } from "./player/messages";
import { Outbox } from "./player/outbox";
import { openShelf } from "./player/shelf";
import { Shell } from "./player/shell";
import { bar, turnByKeys } from "./preview/bar";
import { contentsView } from "./preview/contents";
import { PreviewHost } from "./preview/host";
import { neighbour, type Place, placeFrom } from "./preview/places";
import type { PreviewContents } from "./schema";
import { textsFor } from "./shared/texts";

const root = document.querySelector<HTMLElement>("#preview") ?? document.body;
const top_ = document.querySelector<HTMLElement>("#preview-bar");
const study = decodeURIComponent(location.pathname.split("/").at(-1) ?? "");
const host = new PreviewHost(study);

void open();

async function open(): Promise<void> {
  try {
    const contents = await host.contents();
    const place = placeFrom(new URLSearchParams(location.search), contents);
    if (place) await showPage(place, contents);
    else showContents(contents);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    root.replaceChildren(message({ heading: "This page cannot be shown", text, tone: "warn" }));
  }
}

function showContents(contents: PreviewContents): void {
  document.title = `Preview of ${contents.title || contents.name}`;
  const view = contentsView(contents);
  root.replaceChildren(view);
  view.querySelector<HTMLElement>("h1")?.focus();
}

async function showPage(place: Place, contents: PreviewContents): Promise<void> {
  const go = (address: string) => {
    location.search = address;
  };
  const names = contents.conditions.map(({ name }) => name);
  top_?.replaceChildren(bar(place, names, go));
  turnByKeys(place, go);
  const found = await host.page(place.condition.name, place.page, place.trial);
  const state = { ...found, study: { ...found.study, language: place.language } };
  const texts = textsFor(place.language);
  const shell = new Shell(root, texts);
  const clock = new Clock();
  // It is never opened, so it keeps and sends nothing.
  const outbox = new Outbox("", await openShelf(null, "understudy-preview"), host, {
    connection: () => undefined,
    overtaken: () => undefined,
  });
  const next = () => go(neighbour(place, 1) ?? "?");
  clock.listen(document);
  await new Conductor(
    { api: host, outbox, clock, shell, texts, standIn: null, voice: null, recruiter: null, next },
    state,
  ).run();
}
