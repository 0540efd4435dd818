import { strict as assert } from "node:assert";
import { test } from "node:test";

import { Preloader } from "../src/player/preload";

const atOnce = () => Promise.resolve();

test("a file that fails once is fetched again", async () => {
  let calls = 0;
  const load = () => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error("away")) : Promise.resolve();
  };
  assert.deepEqual(await new Preloader(load, atOnce).fetchAll(["a.png"]), []);
});

test("a file that never comes is named, and the rest is there", async () => {
  const load = (address: string) => (address === "bad.png" ? Promise.reject(new Error("gone")) : Promise.resolve());
  const preloader = new Preloader(load, atOnce);
  assert.deepEqual(await preloader.fetchAll(["a.png", "bad.png", "b.png"]), ["bad.png"]);
  assert.deepEqual(preloader.missing(["a.png", "b.png", "bad.png"]), ["bad.png"]);
});

test("no more than four files are under way at a time", async () => {
  let under = 0;
  let most = 0;
  const load = async () => {
    under += 1;
    most = Math.max(most, under);
    await Promise.resolve();
    under -= 1;
  };
  await new Preloader(load, atOnce).fetchAll(Array.from({ length: 20 }, (_, index) => `${index}.png`));
  assert.equal(most, 4);
});

test("films are left to play as they come", () => {
  assert.deepEqual(new Preloader(atOnce, atOnce).missing(["film.webm"]), []);
});
