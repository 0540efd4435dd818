import { strict as assert } from "node:assert";
import { test } from "node:test";

import type { Answers, Explanation, Json, Question, SavedEvent, ShownResult } from "../src/schema";
import { NO_FEEDBACK } from "../src/schema";
import { type Context, standalone } from "../src/shared/task";
import { taskNamed } from "../src/tasks";
import { asked, type BareQuestion } from "./asked";

const PHOTO = { file: `${"a".repeat(64)}.png`, width: 96, height: 96, alt: "" };
const REGION = { left: 0.25, top: 0.5, width: 0.25, height: 0.25, label: "" };
const row = (row_id: string) => ({ row_id, region: REGION, source: PHOTO, source_region: REGION });
const said = (element: Element | null | undefined) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const rating = (question_id: string): BareQuestion => ({ kind: "rating", question_id, prompt: question_id, points: 4 });
const decision = (question_id: string): BareQuestion => ({
  kind: "choice",
  question_id,
  prompt: question_id,
  options: ["Absent", "Present"],
});

interface Drawn {
  readonly element: HTMLElement;
  readonly told: [string, unknown][];
  readonly drafts: Answers[];
  press(): void;
  sent(): Answers | null;
}

interface Given {
  readonly params?: Json;
  readonly asks?: readonly Question[];
  readonly explanation?: Explanation;
  readonly context?: Partial<Context>;
}

function drawn(task: string, { params = {}, asks = [], explanation, context = {} }: Given): Drawn {
  const element = document.createElement("div");
  document.body.replaceChildren(element);
  const told: [string, unknown][] = [];
  const drafts: Answers[] = [];
  let sent: Answers | null = null;
  const around: Context = {
    ...standalone(),
    log: (action, payload) => void told.push([action, payload]),
    draft: (answers) => void drafts.push(answers),
    commit: (answers) => {
      sent = answers;
      return Promise.resolve(null);
    },
    ...context,
  };
  const plugin = taskNamed(task);
  if (!plugin) throw new Error(`${task} is not registered`);
  const rendered = new plugin({ finishTrial: () => undefined } as never);
  const trial = { params, asks, explanation: explanation ?? null, context: () => around };
  rendered.trial(element, trial as never, () => undefined);
  const next = () => element.querySelector<HTMLElement>(".primary");
  return { element, told, drafts, press: () => next()?.click(), sent: () => sent };
}

const pick = (element: Element, question: string, index: number) =>
  element.querySelectorAll<HTMLInputElement>(`[data-question="${question}"] input`)[index]?.click();
const saved = (action: string, payload: Json): SavedEvent => ({ action, payload, at_ms: 1 });

const OPTIONS: Explanation = {
  kind: "alternatives",
  options: [1, 2].map(() => ({ kind: "prototype_matches" as const, picture: PHOTO, rows: [row("a"), row("b")] })),
};
const OPTION_ASKS = asked(
  ...[1, 2].flatMap((option) => [1, 2].map((number) => rating(`option_${option}_row_${number}`))),
  rating("sure"),
);

test("each rating is in its row, and the study's questions come after", () => {
  const explanation: Explanation = { kind: "prototype_matches", picture: PHOTO, rows: [row("a"), row("b")] };
  const { element } = drawn("rate_matches", {
    asks: asked(rating("row_1"), rating("row_2"), rating("sure")),
    explanation,
  });
  const inRows = [...element.querySelectorAll<HTMLElement>("tbody tr")].map(
    (line) => line.querySelector<HTMLElement>(".question")?.dataset["question"],
  );
  assert.deepEqual(inRows, ["row_1", "row_2"]);
  assert.equal(element.querySelectorAll(".asked .question").length, 1);
});

test("tabs count their ratings, and a missing one is opened", () => {
  const page = drawn("rate_matches", { asks: OPTION_ASKS, explanation: OPTIONS });
  pick(page.element, "option_1_row_1", 2);
  pick(page.element, "option_1_row_2", 2);
  pick(page.element, "sure", 2);
  const notes = () => [...page.element.querySelectorAll(".tab-note")].map(said);
  assert.deepEqual(notes(), ["2 of 2 rated", "0 of 2 rated"]);
  page.press();
  assert.equal(page.sent(), null);
  assert.equal(
    page.element.querySelector('[aria-selected="true"]')?.getAttribute("aria-label"),
    "Option 2, 0 of 2 rated",
  );
});

test("ratings of all options are sent together", () => {
  const page = drawn("rate_matches", { asks: OPTION_ASKS, explanation: OPTIONS });
  for (const { question_id } of OPTION_ASKS) pick(page.element, question_id, 3);
  page.press();
  assert.deepEqual(page.sent(), {
    option_1_row_1: 4,
    option_1_row_2: 4,
    option_2_row_1: 4,
    option_2_row_2: 4,
    sure: 4,
  });
});

const FORKED: Explanation = {
  kind: "tree_path",
  picture: PHOTO,
  steps: [{ ...row("s"), is_present: true }],
  fork: { first: row("f"), if_absent: row("a"), if_present: row("p") },
};
const DECISIONS = asked(decision("decision_1"), decision("decision_2"));
const decide = (context: Partial<Context> = {}) =>
  drawn("decide_steps", { asks: DECISIONS, explanation: FORKED, context });
const cells = (element: Element) => [...element.querySelectorAll(".fork td.rating")].map(said);

test("no second decision can be made before the first", () => {
  const { element } = decide();
  assert.deepEqual(cells(element).slice(1), ["Please decide step 2 first.", "Please decide step 2 first."]);
  assert.equal(element.querySelector('[data-question="decision_2"]'), null);
});

test("only the way that fits the first decision is open", () => {
  const { element } = decide();
  pick(element, "decision_1", 1);
  const lines = [...element.querySelectorAll(".fork tbody tr")];
  assert.deepEqual(
    lines.map((line) => line.classList.contains("is-closed")),
    [false, true, false],
  );
  assert.ok(lines[2]?.querySelector('[data-question="decision_2"]'));
  assert.equal(cells(element)[1], "Only if you choose “absent” in step 2.");
});

test("another first decision clears the second", () => {
  const page = decide();
  pick(page.element, "decision_1", 1);
  pick(page.element, "decision_2", 0);
  assert.equal(said(page.element.querySelector(".outcomes .is-chosen")), "Present → Absent Species 3 your path");
  pick(page.element, "decision_1", 0);
  assert.equal(page.element.querySelector(".outcomes .is-chosen"), null);
  assert.deepEqual(page.drafts.at(-1), { decision_1: "Absent" });
  page.press();
  assert.equal(page.sent(), null);
});

test("the second decision keeps the focus", () => {
  const { element } = decide();
  pick(element, "decision_1", 1);
  const option = element.querySelector<HTMLInputElement>('[data-question="decision_2"] input');
  option?.focus();
  option?.click();
  assert.equal(document.activeElement, option);
});

test("decisions are found again after a reload", () => {
  const answers = { decision_1: "Present", decision_2: "Present" };
  const page = decide({ saved: [saved("draft", { answers })] });
  page.press();
  assert.deepEqual(page.sent(), answers);
});

const SLIDER: BareQuestion = { kind: "slider", question_id: "accuracy_low", prompt: "?", low: 70, high: 100, step: 1 };
const START = { accuracy: 81.7, low: 70, high: 100, start: "accuracy" };

test("a slider shows where it starts, which is not an answer", () => {
  const page = drawn("trade_off", { params: START, asks: asked(SLIDER) });
  assert.equal(said(page.element.querySelector("output")), "82% (not moved yet)");
  assert.deepEqual(page.told, [["slider_started", { question_id: "accuracy_low", value: 82 }]]);
  page.press();
  assert.equal(page.sent(), null);
  assert.equal(said(page.element.querySelector(".fault:not([hidden])")), "Please move the slider.");
});

test("a slider that may be left untouched has no answer, and the log says so", () => {
  const page = drawn("trade_off", { params: START, asks: asked({ ...SLIDER, is_required: false }) });
  page.press();
  assert.deepEqual(page.sent(), {});
  assert.deepEqual(page.told.at(-1), ["slider_untouched", { question_id: "accuracy_low", value: 82 }]);
});

test("a random start is the same after a reload", () => {
  const kept = saved("slider_started", { question_id: "accuracy_low", value: 91 });
  const page = drawn("trade_off", {
    params: { ...START, start: "random" },
    asks: asked(SLIDER),
    context: { saved: [kept] },
  });
  assert.equal(said(page.element.querySelector("output")), "91% (not moved yet)");
  assert.deepEqual(page.told, []);
});

test("a blank slider starts nowhere", () => {
  const page = drawn("trade_off", { params: { ...START, start: "blank" }, asks: asked(SLIDER) });
  assert.deepEqual([said(page.element.querySelector("output")), page.told], ["Not set yet", []]);
});

function results(...found: ShownResult[]): string[] {
  const { element } = drawn("disclosure", { context: { feedback: { ...NO_FEEDBACK, results: found } } });
  return [...element.querySelectorAll(".result > *")].map(said);
}

test("a share of right answers is told with the chance level", () => {
  const share: ShownResult = {
    rule: "share_correct",
    title: "Your choices",
    n: 10,
    n_right: 6,
    chance: 0.25,
    points: [],
    groups: [],
  };
  assert.deepEqual(results(share), [
    "Your choices",
    "You were right in 6 of 10 cases (60%).",
    "Someone who guesses is right in 25% of the cases on average.",
  ]);
});

test("a split of ratings is told with the person's own ratings", () => {
  const groups: ShownResult["groups"] = [
    { kind: "right", n: 2, n_recognised: 1, ratings: [4, 2] },
    { kind: "wrong", n: 2, n_recognised: 1, ratings: [3, 1] },
  ];
  const split: ShownResult = { rule: "median_split", title: "", n: 4, n_right: 2, chance: null, points: [], groups };
  const told = results(split);
  assert.equal(told[0], "Of the 4 predictions that you saw, 2 were correct.");
  assert.equal(told[2], "You recognised 1 of the 2 correct predictions and 1 of the 2 incorrect ones.");
  assert.match(told[3] ?? "", /correct predictions4, 2Your.*incorrect predictions3, 1/);
  // Where people chose words, they read words, in the order of the scale.
  const [often] = results({ ...split, points: ["no", "rather no", "rather yes", "yes"] }).slice(-1);
  assert.match(often ?? "", /correct predictions1 × rather no1 × yesYour.*1 × no1 × rather yes/);
});

test("a worked example shows both decisions, and where they lead", () => {
  const fork = { first: row("f"), if_absent: row("a"), if_present: row("p") };
  const { element } = drawn("decide_steps", {
    params: {
      content: {},
      revealed: {},
      display: {},
      step_name: "Step {step}",
      decision_names: ["Absent", "Present"],
      outcomes: ["Species 1", "Species 2", "Species 3", "Species 4"],
      decided: ["Present", "Absent"],
    },
    explanation: { kind: "tree_path", picture: PHOTO, steps: [], fork } as Explanation,
  });
  assert.deepEqual([...element.querySelectorAll(".chip")].map(said), ["✓ Present", "✕ Absent"]);
  assert.equal(said(element.querySelector(".is-chosen")), "Present → Absent Species 3 the model's path");
  assert.equal(element.querySelectorAll("tr.is-closed").length, 1);
  assert.equal(element.querySelector("input"), null);
});

test("a window has one way on: past the check, or with a window that is too small", () => {
  const shown = (min_width_px: number) => {
    const { element } = drawn("device_check", { params: { min_width_px, min_height_px: 100 } });
    return [...element.querySelectorAll<HTMLElement>("button")]
      .filter(({ hidden }) => !hidden)
      .map((b) => b.textContent);
  };
  assert.deepEqual(shown(100), ["Continue"]);
  assert.deepEqual(shown(9000), ["I cannot make it larger"]);
});
