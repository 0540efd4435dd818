/** A board to draw trials on without a server: what the journeys load to look at many of them. */

import type { Explanation, Json, Question } from "../src/schema";
import { wholeQuestion } from "../src/shared/questions/field";
import { standalone } from "../src/shared/task";
import { TASKS } from "../src/tasks";

interface Drawable {
  readonly task: string;
  readonly params: Json;
  readonly asks?: readonly Question[];
  readonly explanation?: Explanation | null;
}

/** Draws a trial where the player would; returns the words that are seen. */
function draw(trial: Drawable, language = "en"): string {
  const stage = document.querySelector<HTMLElement>(".stage");
  const task = TASKS[trial.task];
  if (!stage || !task) throw new Error(`there is no place or no task for ${trial.task}`);
  const asks = (trial.asks ?? []).map(wholeQuestion);
  const shown = { params: trial.params, asks, explanation: trial.explanation ?? null };
  task.render(shown, stage, standalone(language), () => undefined);
  return stage.innerText;
}

Object.assign(globalThis, { draw });
