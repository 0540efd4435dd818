/** Questions and dials as a study writes them, with everything left out that has a default. */

import type { Dial, Question } from "../src/schema";
import { wholeQuestion } from "../src/shared/questions/field";

export type BareQuestion = Bare<Question>;
type Bare<Q> = Q extends Question ? Partial<Q> & Pick<Q, "kind" | "question_id" | "prompt"> : never;

export function asked(...questions: BareQuestion[]): Question[] {
  return questions.map((question) => wholeQuestion(question as Question));
}

export function askedOnce(question: BareQuestion): Question {
  return wholeQuestion(question as Question);
}

export function dialled(dial: Partial<Dial>): Dial {
  return { name: "", kind: "continuous", low: 0, high: 1, options: [], group: "", ...dial };
}
