/** The types of plugin parameters, by value: importing jsPsych's own would put jsPsych itself into the bundle of tasks. */

import type { ParameterType } from "jspsych";

// The compiler compares each number with that of jsPsych.
export const STRING: ParameterType.STRING = 1;
export const INT: ParameterType.INT = 2;
export const FUNCTION: ParameterType.FUNCTION = 4;
export const OBJECT: ParameterType.OBJECT = 12;
