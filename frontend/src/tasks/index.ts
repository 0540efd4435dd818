/** The catalogue of tasks, by the names of their Python halves. */

import type { TaskPlugin } from "../shared/task";
import check_steps from "./check_steps";
import consent from "./consent";
import debrief from "./debrief";
import decide_steps from "./decide_steps";
import demographics from "./demographics";
import device_check from "./device_check";
import disclosure from "./disclosure";
import feedback from "./feedback";
import instructions from "./instructions";
import judge from "./judge";
import microphone from "./microphone";
import nasa_tlx from "./nasa_tlx";
import questionnaire from "./questionnaire";
import rate_matches from "./rate_matches";
import reconstruct from "./reconstruct";
import relevance from "./relevance";
import seq from "./seq";
import single_dial from "./single_dial";
import trade_off from "./trade_off";
import tree_warm_up from "./tree_warm_up";
import video from "./video";

export const TASKS: Readonly<Record<string, TaskPlugin>> = {
  check_steps,
  consent,
  debrief,
  decide_steps,
  demographics,
  device_check,
  disclosure,
  feedback,
  instructions,
  judge,
  microphone,
  nasa_tlx,
  questionnaire,
  rate_matches,
  reconstruct,
  relevance,
  seq,
  single_dial,
  trade_off,
  tree_warm_up,
  video,
};

const ADDED = new Map<string, TaskPlugin>();

/** Adds the task of an extension; a built-in task stays, so that studies stay comparable. */
export function registerTask(name: string, task: TaskPlugin): void {
  if (Object.hasOwn(TASKS, name)) throw new Error(`the task ${name} is built in; choose another name`);
  ADDED.set(name, task);
}

/** Finds a task, built in or added. */
export function taskNamed(name: string): TaskPlugin | undefined {
  return Object.hasOwn(TASKS, name) ? TASKS[name] : ADDED.get(name);
}
