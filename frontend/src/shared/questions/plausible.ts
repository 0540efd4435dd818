/** Valid answers by chance, for simulated runs: never wiser than a coin. */

import { N_STEPS, oneHot, type Part, partsOf, valueAt } from "../../dials/code";
import type { Answer, Answers, Question } from "../../schema";

export type Random = () => number;

/** Answers every question at random, within what the question accepts. */
export function plausibleAnswers(asks: readonly Question[], random: Random): Answers {
  return Object.fromEntries(asks.map((question) => [question.question_id, plausible(question, random)]));
}

function plausible(question: Question, random: Random): Answer {
  switch (question.kind) {
    case "choice":
      return pick(question.options, random);
    case "multiple_choice": {
      const least = Math.max(1, question.min_chosen);
      return question.options.filter((_, index) => index < least || random() < 0.4);
    }
    case "rating":
      return point(question.points, random);
    case "matrix":
      return Object.fromEntries(question.rows.map((row) => [row, point(question.points, random)]));
    case "slider": {
      const { low, high, step } = question;
      const value = low + random() * (high - low);
      return step ? Math.min(high, low + Math.round((value - low) / step) * step) : value;
    }
    case "number": {
      const { low, high } = question;
      const from = low ?? (high === null ? 18 : high - 60);
      return Math.min(
        high ?? Infinity,
        Math.ceil(from) + Math.floor(random() * Math.min(60, (high ?? Infinity) - from)),
      );
    }
    case "text":
      return "Simulated answer. ".repeat(1 + Math.ceil(question.min_chars / 18)).trim();
    case "ranking":
      return [...question.options].sort(() => random() - 0.5);
    case "dials":
      return { code: partsOf(question.dials).flatMap((part) => turned(part, random)), outcome: "skipped" };
  }
}

function turned({ dial, n }: Part, random: Random): number[] {
  if (dial.kind === "discrete") return oneHot(n, Math.floor(random() * n));
  return [valueAt(dial, Math.floor(random() * (N_STEPS + 1)))];
}

function pick<T>(options: readonly T[], random: Random): T {
  return options[Math.floor(random() * options.length)] as T;
}

function point(points: number, random: Random): number {
  return 1 + Math.floor(random() * points);
}
