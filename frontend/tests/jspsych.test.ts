/** The bundle for somebody else's jsPsych page: every task that needs no server, and data that jsPsych can keep. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { initJsPsych } from "jspsych";

import * as bundle from "../src/jspsych";
import { TASKS } from "../src/tasks";

const NEEDS_A_SERVER = ["disclosure", "microphone"];

test("the bundle exports every task that needs no server", () => {
  const exported = Object.values(bundle).flatMap((member) => ("info" in member ? [member.info.name] : []));
  assert.deepEqual(
    exported.sort(),
    Object.keys(TASKS)
      .filter((name) => !NEEDS_A_SERVER.includes(name))
      .sort(),
  );
});

test("without a server, jsPsych keeps the time and what happened", async () => {
  const jsPsych = initJsPsych({ display_element: document.body.appendChild(document.createElement("div")) });
  const asks = [
    { kind: "choice", question_id: "half", prompt: "Which?", options: ["left", "right"], is_shuffled: true },
  ];
  const trial = { type: bundle.judge, asks, simulation_options: { data: { answers: { half: "left" } } } };
  await jsPsych.simulate([trial] as Parameters<typeof jsPsych.simulate>[0], "visual");
  const [row] = jsPsych.data.get().values();
  assert.deepEqual(row.answers, { half: "left" });
  assert.ok(row.rt >= 0);
  assert.deepEqual(
    row.events.map((event: { action: string }) => event.action),
    ["options_shown"],
  );
});
