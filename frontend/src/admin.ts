/** The researchers' page: studies with live counts, their sessions, and the replay of one. */

import { activePanel } from "./dashboard/active";
import { auditView } from "./dashboard/audit";
import { studyCard } from "./dashboard/counts";
import { depositsView } from "./dashboard/deposits";
import { Desk, type Permission, Refused, type StudyCounts } from "./dashboard/desk";
import { monitorView } from "./dashboard/monitor";
import { recruiting } from "./dashboard/recruiting";
import { loadScreens } from "./dashboard/screen";
import { sessionView } from "./dashboard/session";
import { sessionTable } from "./dashboard/sessions";
import { signIn } from "./dashboard/sign_in";
import { wayBack } from "./dashboard/way_back";
import { h } from "./shared/dom";

const POLL_MS = 2000;

interface View {
  readonly element: HTMLElement;
  /** Takes fresh counts. */
  renew(studies: readonly StudyCounts[]): Promise<void>;
  close(): void;
}

const desk = new Desk();
const root = document.querySelector<HTMLElement>("#dashboard") ?? document.body;
const banner = h(
  "p",
  { class: "banner", role: "status", hidden: true },
  "No connection to the server; the numbers may be old.",
);
const out = h(
  "button",
  { type: "button", class: "button quiet", hidden: true, onclick: () => void leave() },
  "Sign out",
);
const who = h("span", { class: "signed-in" });
const main = h("main", { class: "desk" });
let view: View | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let round = 0;

root.replaceChildren(
  h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "#/" }, h("strong", {}, "understudy"), " dashboard"),
    h("div", { class: "tools" }, who, out),
  ),
  banner,
  main,
);
addEventListener("hashchange", () => void open());
void open();

/** Draws what the address names, then keeps it fresh. */
async function open(): Promise<void> {
  round += 1;
  // Somebody who goes back in the history leaves the question of a dialog behind.
  for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
  const mine = round;
  clearTimeout(timer);
  try {
    const me = await desk.me();
    if (me.name === null) throw new Refused(401, "");
    // Annotators stay blind to everything but the texts that they code.
    if (!me.may.includes("look")) return location.replace("/admin/annotate");
    who.textContent = me.role === null || me.asks_for === "token" ? "" : `${me.name}, ${me.role}`;
    const studies = await desk.studies();
    const made = await viewFor(studies);
    if (mine !== round) return made.close();
    view?.close();
    view = made;
    out.hidden = false;
    show(made.element);
    await made.renew(studies);
    wait(mine);
  } catch (error) {
    if (mine === round) failed(error);
  }
}

function wait(mine: number): void {
  timer = setTimeout(async () => {
    try {
      const studies = await desk.studies();
      if (mine === round) await view?.renew(studies);
      banner.hidden = true;
    } catch (error) {
      if (mine !== round) return;
      // Signed out, or the session was erased while it was watched.
      if (error instanceof Refused && (error.status === 401 || error.status === 404)) return failed(error);
      banner.hidden = false;
    }
    if (mine === round) wait(mine);
  }, POLL_MS);
}

async function viewFor(studies: readonly StudyCounts[]): Promise<View> {
  const [name, part] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (!name) return listOf(studies);
  const study = studies.find((candidate) => candidate.name === name);
  if (!study) throw new Refused(404, `There is no study called ${name} on this server.`);
  if (part === "log") return staticView(await auditView(desk, study));
  if (part === "deposits") return staticView(await depositsView(desk, study, () => void open()));
  if (part === "monitor") return { ...(await monitorView(desk, study)), close: () => undefined };
  return part ? await sessionOf(study, part) : studyOf(study);
}

/** A view that does not change by itself. */
function staticView(element: HTMLElement): View {
  return { element, renew: async () => undefined, close: () => undefined };
}

function listOf(studies: readonly StudyCounts[]): View {
  const cards = new Map(studies.map((study) => [study.name, studyCard(study, false, may)]));
  return {
    element: h(
      "div",
      { class: "column" },
      h("h1", { tabindex: -1 }, "Studies"),
      ...[...cards.values()].map((card) => card.element),
    ),
    renew: async (fresh) => fresh.forEach((study) => cards.get(study.name)?.update(study)),
    close: () => undefined,
  };
}

function studyOf(study: StudyCounts): View {
  const card = studyCard(study, true, may);
  // Simulated people come by a route of their own, so there is no link to give to anybody.
  const isForPeople = Object.keys(study.kinds).includes("person");
  const recruits = isForPeople ? recruiting(desk, study, () => void open()) : null;
  const active = activePanel(desk, study);
  const table = sessionTable(desk, study);
  return {
    element: h(
      "div",
      { class: "column" },
      wayBack("#/", "All studies"),
      card.element,
      recruits?.element,
      active.element,
      table.element,
      card.details,
    ),
    async renew(fresh) {
      const now = fresh.find((candidate) => candidate.name === study.name);
      if (now) {
        card.update(now);
        recruits?.update(now);
        await active.refresh(now);
      }
      await table.refresh();
    },
    close: () => undefined,
  };
}

async function sessionOf(study: StudyCounts, sessionId: string): Promise<View> {
  const found = await desk.session(study.name, sessionId);
  await loadScreens(study);
  const drawn = sessionView(study, sessionId, found, {
    desk,
    async exclude(reason) {
      await desk.exclude(study.name, sessionId, reason);
      void open();
    },
    async erase() {
      await desk.erase(study.name, sessionId);
      location.hash = `#/${encodeURIComponent(study.name)}`;
    },
    async label(about, label) {
      await desk.label(study.name, sessionId, about, label);
      drawn.renew(await desk.session(study.name, sessionId));
    },
  });
  const renew = async () => {
    if (drawn.isOpen()) drawn.renew(await desk.session(study.name, sessionId));
  };
  return { element: drawn.element, renew, close: drawn.close };
}

function failed(error: unknown): void {
  view?.close();
  view = null;
  if (error instanceof Refused && error.status === 401) return void askToSignIn();
  const sentence = error instanceof Refused ? error.message : "The server cannot be reached. Please try again.";
  const again = h("button", { type: "button", class: "button primary", onclick: () => void open() }, "Try again");
  show(
    h(
      "section",
      { class: "card" },
      wayBack("#/", "All studies"),
      h("h1", { tabindex: -1 }, "This did not work"),
      h("p", {}, sentence),
      h("div", { class: "actions" }, again),
    ),
  );
}

async function askToSignIn(): Promise<void> {
  out.hidden = true;
  who.textContent = "";
  const state = await desk.me().catch(() => null);
  if (state === null) return failed(new Error("no answer"));
  show(signIn(desk, state.asks_for, () => void open()));
  main.querySelector("input")?.focus();
}

function may(permission: Permission): boolean {
  return desk.may(permission);
}

function show(element: HTMLElement): void {
  main.replaceChildren(element);
  element.querySelector<HTMLElement>("h1")?.focus();
}

async function leave(): Promise<void> {
  round += 1;
  clearTimeout(timer);
  await desk.signOut().catch(() => undefined);
  failed(new Refused(401, ""));
}
