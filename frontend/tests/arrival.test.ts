/** Arrival: previews and links that a recruiter did not fill in. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrivalFrom } from "../src/player/arrival";
import { ending, type Refused, refusal } from "../src/player/messages";
import type { EndedState } from "../src/player/state";
import { textsFor } from "../src/shared/texts";

test("language and preview are not the recruiter's", () => {
  const { recruiter, isPreview } = arrivalFrom({ lang: "de", preview: "", PROLIFIC_PID: "5f2a" });
  assert.deepEqual(recruiter, { PROLIFIC_PID: "5f2a" });
  assert.equal(isPreview, true);
});

test("whoever looks at a task on MTurk sees a preview, whoever takes it does not", () => {
  assert.equal(arrivalFrom({ workerId: "W1", assignmentId: "ASSIGNMENT_ID_NOT_AVAILABLE" }).isPreview, true);
  assert.equal(arrivalFrom({ workerId: "W1", assignmentId: "3TS1A" }).isPreview, false);
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: recruiters write their placeholders like this.
for (const id of ["{{%PROLIFIC_PID%}}", "%SURVEY_CODE%", "${workerId}", "<id>", " {id} "]) {
  test(`${id} names nobody`, () => assert.equal(arrivalFrom({ PROLIFIC_PID: id }).isUnnamed, true));
}
for (const id of ["5f2a9c", "A1B2", "anna@example.org", "100%", ""]) {
  test(`${JSON.stringify(id)} is no placeholder`, () =>
    assert.equal(arrivalFrom({ participantId: id }).isUnnamed, false));
}

test("everybody who is not let in reads why, what is paid and what to do now, in both languages", () => {
  for (const texts of [textsFor("en"), textsFor("de")]) {
    const { ends } = texts;
    for (const [kind, [heading, text]] of Object.entries(ends.refusals)) {
      const card = (recruiter: string | null, redirect: string | null) =>
        refusal({ kind: kind as Refused, isPaid: true, redirect, recruiter }, texts);
      const alone = card(null, null);
      assert.equal(alone.querySelector("h1")?.textContent, heading);
      assert.equal(alone.querySelector(".lead")?.textContent, text);
      assert.ok(Object.values(ends.unpaid).includes(alone.querySelector(".pay")?.textContent ?? ""), kind);
      assert.ok(alone.textContent?.endsWith(ends.close), kind);
      // Prolific's people have a submission that waits for them.
      // Somebody whose id took part may have finished: they are not told to return their submission.
      const last = kind === "known" ? ends.close : ends.advice["prolific"];
      assert.ok(card("prolific", null).textContent?.endsWith(last ?? "none"), kind);
      assert.equal(card("prolific", "https://back.example/").querySelector("a")?.textContent, ends.redirect);
    }
  }
});

test("a code says where it goes, and pay is added up", () => {
  const ended: EndedState = {
    outcome: "completed",
    is_erased: false,
    reason: "",
    pay: { currency: "GBP", base: 4, bonus: 1.5 },
    code: "AB12CD34",
    redirect: null,
  };
  const texts = textsFor("en");
  const said = (recruiter: string | null, more: Partial<EndedState> = {}) =>
    ending({ ...ended, ...more }, texts, "en", { recruiter, isPaid: true }).textContent ?? "";
  assert.match(said("mturk"), /£4\.00 and a bonus of £1\.50: £5\.50 in total.*Mechanical Turk/);
  assert.match(said(null), /enter it where you signed up, or send it to the person who invited you/);
  assert.match(said("prolific", { redirect: "https://back.example/" }), /The button below takes the code along/);
  for (const outcome of ["declined", "withdrew", "abandoned", "excluded", "screened_out"] as const)
    assert.match(said(null, { outcome, pay: null, code: null }), /payment|decide what they pay/, outcome);
  assert.equal(said("prolific", { outcome: "withdrew", pay: null }).match(/On Prolific|on Prolific/g)?.length, 1);
});

test("every ending without a code says what to do now, in both languages", () => {
  const over: EndedState = { outcome: "declined", is_erased: false, reason: "", pay: null, code: null, redirect: null };
  for (const language of ["en", "de"]) {
    const texts = textsFor(language);
    const { advice, close, redirect } = texts.ends;
    for (const outcome of ["completed", "declined", "withdrew", "abandoned", "excluded", "screened_out"] as const)
      for (const is_erased of [false, true]) {
        const said = (recruiter: string | null, back: string | null = null) =>
          ending({ ...over, outcome, is_erased, redirect: back }, texts, language, { recruiter, isPaid: true });
        assert.ok(said(null).textContent?.endsWith(close), outcome);
        assert.ok(said("prolific").textContent?.endsWith(advice["prolific"] ?? "none"), outcome);
        const sent = said(null, "https://back.example/");
        assert.ok(sent.textContent?.endsWith(redirect) && !sent.textContent.includes(close), outcome);
      }
  }
});
