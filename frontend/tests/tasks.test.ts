import { strict as assert } from "node:assert";
import { test } from "node:test";
import { initJsPsych } from "jspsych";

import type { Json } from "../src/schema";
import { de } from "../src/shared/texts/de";
import { en } from "../src/shared/texts/en";
import { TASKS } from "../src/tasks";
import { merged, shareOf } from "../src/tasks/video_ranges";

const TRIALS: Record<string, object> = {
  consent: {
    params: { text: "Hello." },
    asks: [{ kind: "choice", question_id: "consent", prompt: "?", options: ["I agree", "I do not agree"] }],
  },
  instructions: { params: { pages: ["One.", "Two."] } },
  device_check: { params: { min_width_px: 100, min_height_px: 100 }, asks: [] },
  microphone: {
    params: { text: "Your voice." },
    asks: [
      { kind: "choice", question_id: "microphone", prompt: "?", options: ["agreed", "declined", "not available"] },
    ],
  },
  questionnaire: { params: {}, asks: [{ kind: "rating", question_id: "q", prompt: "?" }] },
  judge: {
    params: { content: { income: 12 }, revealed: { prediction: "repaid" } },
    asks: [{ kind: "choice", question_id: "guess", prompt: "?", options: ["yes", "no"] }],
    explanation: { kind: "attribution", payload: { features: ["income"], weights: [-0.4] } },
  },
  relevance: {
    params: { attributes: [{ attribute_id: "legs", name: "the legs", meaning: "Where they are." }] },
    asks: [
      { kind: "choice", question_id: "legs", prompt: "?", options: ["Relevant", "Irrelevant"] },
      { kind: "text", question_id: "legs_why", prompt: "Why?", min_chars: 10 },
    ],
  },
  single_dial: {
    params: {
      view: "line",
      shape: [2],
      limits: [-1, 1],
      packing: "f32",
      number: 1,
      layout: "exemplars",
      n_rows: 1,
      picture: "",
      sets: ["", ""],
    },
    asks: [
      { kind: "choice", question_id: "regime", prompt: "?", options: ["Low", "Medium", "High"] },
      { kind: "rating", question_id: "confidence", prompt: "?", points: 5 },
    ],
  },
  seq: { params: {}, asks: [{ kind: "rating", question_id: "difficulty", prompt: "?" }] },
  nasa_tlx: { params: {}, asks: [{ kind: "slider", question_id: "mental", prompt: "?", step: 5 }] },
  demographics: {
    params: {},
    asks: [{ kind: "choice", question_id: "age", prompt: "?", options: ["18–34", "35–50"], is_required: false }],
  },
  feedback: { params: { text: "Well done." } },
  disclosure: {
    params: { text: "How you did" },
    asks: [{ kind: "rating", question_id: "understanding", prompt: "?" }],
  },
  trade_off: {
    params: { accuracy: 81.7, low: 70, high: 100, start: "random" },
    asks: [
      { kind: "slider", question_id: "accuracy_low", prompt: "?", low: 70, high: 100, step: 1 },
      { kind: "text", question_id: "reason", prompt: "Why?" },
    ],
  },
  tree_warm_up: {
    params: { part: "exercise_1" },
    asks: [
      { kind: "choice", question_id: "fruit_prediction", prompt: "?", options: ["Correct", "Incorrect"] },
      { kind: "choice", question_id: "first_mistake", prompt: "?", options: ["None", "Colour", "Count", "Shape"] },
    ],
  },
  debrief: { params: { text: "It was about loans." } },
};

async function simulated(name: string, mode: "data-only" | "visual"): Promise<Json> {
  const container = document.createElement("div");
  document.body.replaceChildren(container);
  const jsPsych = initJsPsych({ display_element: container, use_webaudio: false });
  await jsPsych.simulate([{ type: TASKS[name], ...TRIALS[name] }], mode);
  return jsPsych.data.get().values()[0] as Json;
}

for (const name of Object.keys(TRIALS))
  test(`${name} runs without a person, shown and unshown`, async () => {
    const unshown = await simulated(name, "data-only");
    const shown = await simulated(name, "visual");
    assert.deepEqual([unshown["trial_type"], shown["trial_type"]], [name, name]);
    assert.ok(Object.keys(shown["answers"] as Json).length >= Object.keys(unshown["answers"] as Json).length);
  });

test("a judge page shows values in words, and answers with the value", async () => {
  const asks = [{ kind: "choice", question_id: "guess", prompt: "?", options: ["pos", "neg"] }];
  const params = {
    content: { tokens: ["fine"] },
    revealed: { label: "neg" },
    value_names: { pos: "positive", neg: "negative" },
  };
  const container = document.createElement("div");
  document.body.replaceChildren(container);
  const jsPsych = initJsPsych({ display_element: container, use_webaudio: false });
  let seen = "";
  const on_load = () =>
    (seen = [...container.querySelectorAll(".option, .revealed")].map((element) => element.textContent).join(", "));
  const answers: Json = { guess: "neg" };
  await jsPsych.simulate(
    [{ type: TASKS["judge"], params, asks, on_load, simulation_options: { data: { answers } } }],
    "visual",
  );
  // Read aloud or copied, name and value are two words.
  assert.equal(seen, "Label negative, positive, negative");
  assert.deepEqual((jsPsych.data.get().values()[0] as Json)["answers"], answers);
});

test("questions about one attribute are one group, with what it means, and a paste is noted without its words", async () => {
  const trial = TRIALS["relevance"];
  const answers: Json = { legs: "Relevant", legs_why: "They move along." };
  const container = document.createElement("div");
  document.body.replaceChildren(container);
  const jsPsych = initJsPsych({ display_element: container, use_webaudio: false });
  let group = "";
  const on_load = () => {
    const drawn = container.querySelector(".attribute");
    group = `${drawn?.getAttribute("aria-label")}: ${drawn?.querySelector(".hint")?.textContent}`;
    const paste = Object.assign(new Event("paste", { bubbles: true }), { clipboardData: { getData: () => "copied" } });
    drawn?.querySelector("textarea")?.dispatchEvent(paste);
  };
  await jsPsych.simulate(
    [{ type: TASKS["relevance"], ...trial, on_load, simulation_options: { data: { answers } } }],
    "visual",
  );
  const kept = jsPsych.data.get().values()[0] as { answers: Json; events: { action: string; payload: Json }[] };
  const pasted = kept.events.filter(({ action }) => action === "pasted").map(({ payload }) => payload);
  assert.equal(group, "the legs: Where they are.");
  assert.deepEqual([kept.answers, pasted], [answers, [{ question_id: "legs_why", n_chars: 6 }]]);
});

test("every task says what it takes and what it records", () => {
  assert.equal(
    Object.values(TASKS).every((task) => task.info.version && task.info.parameters && task.info.data),
    true,
  );
});

test("stretches of a film that overlap count once", () => {
  assert.ok(
    Math.abs(
      shareOf(
        merged([
          [0, 4],
          [2, 6],
          [8, 10],
        ]),
        10,
      ) - 0.8,
    ) < 1e-9,
  );
});

test("a film of unknown length counts as unwatched", () => {
  assert.equal(shareOf([[0, 5]], Infinity), 0);
});

test("the second language leaves nothing out", () => {
  const shape = (value: object): unknown =>
    Object.entries(value).map(([name, entry]) => [
      name,
      typeof entry === "object" ? shape(entry as object) : typeof entry,
    ]);
  assert.deepEqual(shape(de), shape(en));
});
