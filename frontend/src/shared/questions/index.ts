/** The catalogue of questions: one file for each kind. */

import type { Question } from "../../schema";
import { choice } from "./choice";
import { dials } from "./dials";
import type { Field, FieldContext } from "./field";
import { matrix } from "./matrix";
import { multipleChoice } from "./multiple_choice";
import { number } from "./number";
import { ranking } from "./ranking";
import { rating } from "./rating";
import { slider } from "./slider";
import { text } from "./text";

export type { Field, FieldContext };

/** Draws a question of any kind. */
export function field(question: Question, context: FieldContext): Field {
  switch (question.kind) {
    case "choice":
      return choice(question, context);
    case "multiple_choice":
      return multipleChoice(question, context);
    case "rating":
      return rating(question, context);
    case "matrix":
      return matrix(question, context);
    case "slider":
      return slider(question, context);
    case "number":
      return number(question, context);
    case "text":
      return text(question, context);
    case "ranking":
      return ranking(question, context);
    case "dials":
      return dials(question, context);
  }
}
