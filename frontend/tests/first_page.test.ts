import { strict as assert } from "node:assert";
import { beforeEach, test } from "node:test";

import { FirstPage } from "../src/player/first_page";
import { Shell } from "../src/player/shell";
import type { State } from "../src/player/state";
import type { Answers } from "../src/schema";
import { standalone } from "../src/shared/task";
import { textsFor } from "../src/shared/texts";

const STATE = {
  study: { name: "s", title: "A study", language: "en", digest: "d", minutes: 5, pay: null },
  next_seq: 1,
  step: {
    number: 1,
    trial: { trial_id: "t", block_id: "b", task: "consent", params: { text: "Please read this." } },
    feedback: { is_correct: null, share_correct: null, answers: {}, reason: "" },
    references: [],
    purpose: "consent",
    position: 0,
    n_positions: 1,
    progress: 0,
    saved: [],
  },
  preload: [],
  ended: null,
  skin: { is_preview: false },
} as unknown as State;

let shell: Shell;

beforeEach(() => {
  document.body.replaceChildren(document.createElement("div"));
  shell = new Shell(document.body.firstElementChild as HTMLElement, textsFor("en"));
});

function drawn(state: unknown = STATE): FirstPage | null {
  const block = document.createElement("script");
  block.id = "first-page";
  block.type = "application/json";
  block.textContent = JSON.stringify(state);
  document.body.append(block);
  return FirstPage.drawn(shell, document);
}

function button(label: string): HTMLButtonElement {
  const found = [...document.querySelectorAll("button")].find((element) => element.textContent === label);
  assert.ok(found, label);
  return found;
}

test("a page that brings no first page draws none", () => {
  assert.equal(FirstPage.drawn(shell, document), null);
});

test("a first page that the script cannot draw yet is left to the session", () => {
  const { step } = STATE;
  assert.equal(drawn({ ...STATE, step: { ...step, trial: { ...step?.trial, task: "judge" } } }), null);
  assert.equal(shell.stage.childElementCount, 0);
});

test("an answer waits for the session that takes the page", async () => {
  const first = drawn();
  button("I agree").click();
  const taken: Answers[] = [];
  const commit = (answers: Answers) => {
    taken.push(answers);
    return Promise.resolve(null);
  };
  await first?.conduct({ ...standalone(), commit });
  assert.deepEqual(taken, [{ consent: "I agree" }]);
});

test("an answer that is refused can be given again", async () => {
  const first = drawn();
  const refusals: (string | null)[] = ["No.", null];
  const answered = first?.conduct({ ...standalone(), commit: () => Promise.resolve(refusals.shift() ?? null) });
  button("I agree").click();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(document.querySelector(".status")?.textContent, "No.");
  button("I agree").click();
  await answered;
});

test("a session that begins with other words is another page", () => {
  const first = drawn();
  const { step } = STATE;
  const other = { ...STATE, step: { ...step, trial: { ...step?.trial, params: { text: "Other words." } } } };
  assert.equal(first?.isOf(other as unknown as State), false);
});

test("names differ from session to session, and do not make another page", () => {
  const first = drawn();
  const { step } = STATE;
  const named = { ...STATE, step: { ...step, trial: { ...step?.trial, trial_id: "x", block_id: "y" } } };
  assert.equal(first?.isOf({ ...named, preload: ["a"] } as unknown as State), true);
});
