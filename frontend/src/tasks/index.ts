/** The catalogue of tasks, by the names of their Python halves. */

import type { TaskPlugin } from "../shared/task";
import consent from "./consent";
import debrief from "./debrief";
import device_check from "./device_check";
import feedback from "./feedback";
import instructions from "./instructions";
import judge from "./judge";
import questionnaire from "./questionnaire";
import reconstruct from "./reconstruct";
import video from "./video";

export const TASKS: Readonly<Record<string, TaskPlugin>> = {
  consent,
  debrief,
  device_check,
  feedback,
  instructions,
  judge,
  questionnaire,
  reconstruct,
  video,
};
