import { strict as assert } from "node:assert";
import { beforeEach, test } from "node:test";

import { resumedIn } from "../src/player/resumed";

beforeEach(() => document.body.replaceChildren());

test("a session that continues is read from the page", () => {
  const block = document.createElement("script");
  block.id = "resumed";
  block.type = "application/json";
  block.textContent = JSON.stringify({ token: "s1.abc", next_seq: 4 });
  document.body.append(block);
  assert.deepEqual(resumedIn(document), { token: "s1.abc", next_seq: 4 });
});

test("newcomers have no session to continue", () => {
  assert.equal(resumedIn(document), null);
});
