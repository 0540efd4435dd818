/** The catalogue of tasks, by the names of their Python halves. */

import { type TaskPlugin, taskPlugin } from "../shared/task";
import consent from "./consent";
import debrief from "./debrief";
import device_check from "./device_check";
import feedback from "./feedback";
import instructions from "./instructions";
import judge from "./judge";
import questionnaire from "./questionnaire";
import single_dial from "./single_dial";
import video from "./video";

/** A ready questionnaire: its Python half writes the questions, and the page is the one of every questionnaire. */
const ready = (name: string) => taskPlugin(name, "1", questionnaire.render);

export const TASKS: Readonly<Record<string, TaskPlugin>> = {
  consent,
  debrief,
  demographics: ready("demographics"),
  device_check,
  feedback,
  instructions,
  judge,
  nasa_tlx: ready("nasa_tlx"),
  questionnaire,
  seq: ready("seq"),
  single_dial,
  video,
};
