/** Arrival: previews and links that a recruiter did not fill in. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { arrivalFrom } from "../src/player/arrival";

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
