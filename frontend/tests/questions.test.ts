import { strict as assert } from "node:assert";
import { test } from "node:test";

import type { Answers, Question } from "../src/schema";
import { form } from "../src/shared/questions/form";
import { numberFrom } from "../src/shared/questions/number";
import { plausibleAnswers } from "../src/shared/questions/plausible";
import { textsFor } from "../src/shared/texts";
import { asked } from "./asked";

const ALL: Question[] = asked(
  { kind: "choice", question_id: "choice", prompt: "?", options: ["a", "b"] },
  { kind: "multiple_choice", question_id: "many", prompt: "?", options: ["a", "b", "c"], min_chosen: 1 },
  { kind: "rating", question_id: "rating", prompt: "?", points: 7 },
  { kind: "rating", question_id: "long", prompt: "?", points: 101 },
  { kind: "matrix", question_id: "matrix", prompt: "?", rows: ["x", "y"], points: 5 },
  { kind: "slider", question_id: "slider", prompt: "?", low: 0, high: 1 },
  { kind: "number", question_id: "number", prompt: "?", low: 18, high: 99, is_whole: true },
  { kind: "text", question_id: "text", prompt: "?", min_chars: 10 },
  { kind: "ranking", question_id: "ranking", prompt: "?", options: ["p", "q", "r"] },
);

function formOf(asks: Question[]) {
  const made = form(asks, {
    texts: textsFor("en"),
    language: "en",
    changed: () => undefined,
    ordered: (_, options) => [...options],
  });
  document.body.replaceChildren(made.element);
  return made;
}

for (const question of ALL)
  test(`an untouched required question ${question.question_id} is refused`, () => {
    const made = formOf([question]);
    assert.equal(made.answers(), null);
    assert.notEqual(document.querySelector(".question .fault")?.textContent, "");
  });

for (const question of ALL)
  test(`an untouched optional question ${question.question_id} is left out`, () => {
    assert.deepEqual(formOf([{ ...question, is_required: false }]).answers(), {});
  });

test("what is put in comes out, for every kind", () => {
  const given = plausibleAnswers(ALL, () => 0.3);
  const made = formOf(ALL);
  made.put(given);
  assert.deepEqual(made.answers(), given);
});

test("a draft has what was entered, even if that is not an answer yet", () => {
  const entered: Answers = { matrix: { x: 2 }, number: "4o" };
  const first = formOf(ALL);
  first.put(entered);
  const second = formOf(ALL);
  second.put(first.draft());
  assert.deepEqual([first.draft(), second.draft(), second.answers()], [entered, entered, null]);
});

test("an incomplete matrix says how much is rated", () => {
  const made = formOf([ALL[4] as Question]);
  made.put({ matrix: { x: 2 } });
  assert.equal(made.answers(), null);
  assert.ok(document.querySelector(".fault")?.textContent?.includes("1 of 2"));
});

const REFUSED: [Answers, string][] = [
  [{ number: 17 }, "from 18 to 99"],
  [{ number: 20.5 }, "whole number"],
  [{ number: "abc" }, "Please enter a number"],
];
for (const [given, reason] of REFUSED)
  test(`${JSON.stringify(given)} is refused with a reason`, () => {
    const made = formOf([ALL[6] as Question]);
    made.put(given);
    assert.equal(made.answers(), null);
    assert.ok(document.querySelector(".fault")?.textContent?.includes(reason));
  });

test("blanks do not count towards the length of a text", () => {
  const made = formOf([ALL[7] as Question]);
  made.put({ text: "  short        " });
  assert.equal(made.answers(), null);
});

test("options are moved by their buttons", () => {
  const made = formOf([ALL[8] as Question]);
  document.querySelectorAll<HTMLButtonElement>("[data-option=q] .arrow")[0]?.click();
  assert.deepEqual(made.answers(), { ranking: ["q", "p", "r"] });
});

test("a click on an option that moves nothing is no order", () => {
  const made = formOf([ALL[8] as Question]);
  const item = document.querySelector("[data-option]") as HTMLElement;
  for (const type of ["pointerdown", "pointerup"]) {
    item.dispatchEvent(Object.assign(new Event(type, { bubbles: true }), { button: 0, clientY: 0 }));
  }
  assert.equal(made.answers(), null);
});

test("markup in a prompt stays text", () => {
  formOf(asked({ kind: "text", question_id: "x", prompt: "<img src=x onerror=alert(1)>" }));
  assert.equal(document.querySelector("img"), null);
});

const READ: [string, string, number | null][] = [
  ["1,5", "en", 1.5],
  ["1.5", "de", 1.5],
  ["1,500", "en", 1500],
  ["1,500", "de", 1.5],
  ["1.500", "en", 1.5],
  ["1.500", "de", 1500],
  ["1,234,567.8", "en", 1234567.8],
  ["1.234,5", "de", 1234.5],
  ["0,500", "en", 0.5],
  ["12,34,5", "en", null],
  [" 42 ", "en", 42],
  ["-3", "en", -3],
  ["1e3", "en", null],
  ["", "en", null],
];
for (const [text, language, value] of READ) {
  test(`${JSON.stringify(text)} is read as ${value} in ${language}`, () =>
    assert.equal(numberFrom(text, language), value));
}
