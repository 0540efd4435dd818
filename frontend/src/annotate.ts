/** The annotators' page: what there is to code, one text at a time; for researchers also agreement and the code book. */

import { agreementView } from "./annotate/agreement";
import { bookView } from "./annotate/book";
import { Calls, type Scheme } from "./annotate/calls";
import { codingView } from "./annotate/coding";
import { taskList } from "./annotate/tasks";
import { Desk, Refused } from "./dashboard/desk";
import { signIn } from "./dashboard/sign_in";
import { h } from "./shared/dom";

const desk = new Desk();
const root = document.querySelector<HTMLElement>("#annotation") ?? document.body;
const who = h("span", { class: "signed-in" });
const out = h(
  "button",
  { type: "button", class: "button quiet", hidden: true, onclick: () => void leave() },
  "Sign out",
);
const home = h("a", { class: "button quiet", href: "/admin", hidden: true }, "Dashboard");
const main = h("main", { class: "desk" });
let close: () => void = () => undefined;
let round = 0;

root.replaceChildren(
  h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "#/" }, h("strong", {}, "understudy"), " annotation"),
    h("div", { class: "tools" }, who, home, out),
  ),
  main,
);
addEventListener("hashchange", () => void open());
void open();

/** What a view draws, and how it lets go of the keyboard. */
interface View {
  readonly element: HTMLElement;
  close?(): void;
}

async function open(): Promise<void> {
  round += 1;
  const mine = round;
  try {
    const me = await desk.me();
    if (me.name === null) throw new Refused(401, "");
    who.textContent = me.asks_for === "token" ? "" : me.name;
    home.hidden = !me.may.includes("look");
    const view = await viewFor();
    if (mine !== round) return view.close?.();
    close();
    close = () => view.close?.();
    out.hidden = false;
    show(view.element);
  } catch (error) {
    if (mine === round) failed(error);
  }
}

async function viewFor(): Promise<View> {
  const calls = new Calls(desk);
  const [study, schemeId, part] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (!study || !schemeId) return { element: taskList(await calls.tasks()) };
  const scheme: Scheme = { study, schemeId };
  const again = () => void open();
  if (part === "agreement") return { element: agreementView(calls, scheme, await calls.agreement(scheme), again) };
  if (part === "book") return { element: bookView(calls, scheme, await calls.book(scheme), again) };
  return codingView(calls, scheme, await calls.desk(scheme));
}

function failed(error: unknown): void {
  close();
  close = () => undefined;
  if (error instanceof Refused && error.status === 401) return void askToSignIn();
  const sentence = error instanceof Refused ? error.message : "The server cannot be reached. Please try again.";
  show(
    h(
      "section",
      { class: "card" },
      h("h1", { tabindex: -1 }, "This did not work"),
      h("p", {}, sentence),
      h(
        "div",
        { class: "actions" },
        h("a", { class: "button", href: "#/" }, "To the list"),
        h("button", { type: "button", class: "button primary", onclick: () => void open() }, "Try again"),
      ),
    ),
  );
}

async function askToSignIn(): Promise<void> {
  out.hidden = true;
  home.hidden = true;
  who.textContent = "";
  const state = await desk.me().catch(() => null);
  if (state === null) return failed(new Error("no answer"));
  show(signIn(desk, state.asks_for, () => void open()));
  main.querySelector("input")?.focus();
}

function show(element: HTMLElement): void {
  main.replaceChildren(element);
  element.querySelector<HTMLElement>("h1")?.focus();
}

async function leave(): Promise<void> {
  round += 1;
  await desk.signOut().catch(() => undefined);
  failed(new Refused(401, ""));
}
