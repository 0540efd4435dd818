import { strict as assert } from "node:assert";
import { test } from "node:test";
import { initJsPsych } from "jspsych";

import { Told } from "../src/player/stand_in";
import type { StepState } from "../src/player/state";
import type { Answer, Answers, Json, Question } from "../src/schema";
import { handsFrom } from "../src/shared/hands";
import { form } from "../src/shared/questions/form";
import { digitsOf, numberFrom } from "../src/shared/questions/number";
import { textsFor } from "../src/shared/texts";
import { TASKS } from "../src/tasks";
import { askedOnce, type BareQuestion } from "./asked";

const ASKED = (
  [
    [{ kind: "choice", question_id: "choice", prompt: "?", options: ["a", "b"] }, "b"],
    [
      { kind: "multiple_choice", question_id: "many", prompt: "?", options: ["a", "b", "c"], min_chosen: 1 },
      ["a", "c"],
    ],
    [{ kind: "multiple_choice", question_id: "none", prompt: "?", options: ["a", "b"], is_required: false }, []],
    [{ kind: "rating", question_id: "rating", prompt: "?", points: 7 }, 5],
    [{ kind: "rating", question_id: "long", prompt: "?", points: 101 }, 51],
    [
      { kind: "matrix", question_id: "matrix", prompt: "?", rows: ["x", "y"], points: 5 },
      { x: 1, y: 4 },
    ],
    [{ kind: "slider", question_id: "slider", prompt: "?", low: 0, high: 1 }, 0.5],
    [{ kind: "number", question_id: "number", prompt: "?", low: 0, high: 99 }, 12.25],
    [{ kind: "text", question_id: "text", prompt: "?", min_chars: 10 }, "I looked at income."],
    [{ kind: "ranking", question_id: "ranking", prompt: "?", options: ["p", "q", "r", "s"] }, ["r", "s", "p", "q"]],
    [{ kind: "ranking", question_id: "kept", prompt: "?", options: ["p", "q"] }, ["p", "q"]],
  ] satisfies [BareQuestion, Answer][]
).map(([question, answer]): [Question, Answer] => [askedOnce(question), answer]);
const ASKS = ASKED.map(([question]) => question);
const ANSWERS: Answers = Object.fromEntries(ASKED.map(([question, answer]) => [question.question_id, answer]));
const CONSENT = { kind: "choice", question_id: "consent", prompt: "?", options: ["I agree", "I do not agree"] };
const TRIALS: [string, object, Answers][] = [
  ["consent", { params: { text: "Hello." }, asks: [CONSENT] }, { consent: "I agree" }],
  ["consent", { params: { text: "Hello." }, asks: [CONSENT] }, { consent: "I do not agree" }],
  ["instructions", { params: { pages: ["One.", "Two."] } }, {}],
  ["questionnaire", { params: {}, asks: ASKS }, ANSWERS],
  ["judge", { params: { content: { income: 12 } }, asks: ASKS }, ANSWERS],
  ["relevance", { params: { attributes: [] }, asks: ASKS }, ANSWERS],
  ["feedback", { params: { text: "Well done." } }, {}],
  ["debrief", { params: { text: "It was about loans." } }, {}],
];

function stage() {
  const container = document.createElement("div");
  document.body.replaceChildren(container);
  return initJsPsych({ display_element: container, use_webaudio: false });
}

for (const [question, answer] of ASKED)
  test(`hands enter ${question.question_id}, and the page is told of it`, () => {
    const hands = handsFrom(stage().pluginAPI);
    let nChanged = 0;
    const changed = () => (nChanged += 1);
    const made = form([question], {
      texts: textsFor("en"),
      language: "en",
      changed,
      ordered: (_, options) => [...options],
    });
    document.body.replaceChildren(made.element);
    made.enter({ [question.question_id]: answer }, hands);
    assert.deepEqual(made.answers(), { [question.question_id]: answer });
    assert.ok(nChanged > 0);
  });

for (const mode of ["data-only", "visual"] as const)
  for (const [name, trial, answers] of TRIALS)
    test(`${name} gives the answers it was handed, ${mode}: ${JSON.stringify(answers).slice(0, 30)}`, async () => {
      const jsPsych = stage();
      await jsPsych.simulate([{ type: TASKS[name], ...trial, simulation_options: { data: { answers } } }], mode);
      assert.deepEqual((jsPsych.data.get().values()[0] as Json)["answers"], answers);
    });

test("every task can be simulated", () => {
  assert.equal(
    Object.values(TASKS).every((task) => typeof task.prototype.simulate === "function"),
    true,
  );
});

test("answers that come later find the screen drawn", async () => {
  const jsPsych = stage();
  let seen: string | null = null;
  const answers = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    seen = jsPsych.getDisplayElement().querySelector("h1")?.textContent ?? null;
    return { consent: "I agree" };
  };
  const trial = {
    type: TASKS["consent"],
    params: { text: "Hello." },
    asks: [CONSENT],
    simulation_options: { data: { answers } },
  };
  await jsPsych.simulate([trial], "visual");
  assert.equal(seen, textsFor("en").consent.heading);
});

test("a stand-in is asked only when the screen is there", async () => {
  const asked: unknown[] = [];
  const step = { number: 3, trial: { trial_id: "t3" } } as StepState;
  const ask = (number: number, trialId: string) => {
    asked.push(number, trialId);
    return Promise.resolve({ q: 1 });
  };
  const told = new Told(ask, step);
  const answers = told.answers();
  await Promise.resolve();
  assert.deepEqual(asked, []);
  told.shown();
  assert.deepEqual([await answers, asked], [{ q: 1 }, [3, "t3"]]);
});

test("who walks away never answers", async () => {
  const told = new Told(() => Promise.resolve(null), { number: 0, trial: { trial_id: "t" } } as StepState);
  told.shown();
  const after = new Promise((resolve) => setTimeout(() => resolve("still there"), 20));
  assert.equal(await Promise.race([told.answers(), after]), "still there");
});

for (const value of [3, 0.1, 1.125, 1e-7, -2.5e-9])
  test(`${value} is typed so that it can be read`, () => {
    for (const language of ["en", "de"]) assert.equal(numberFrom(digitsOf(value, language), language), value);
  });
