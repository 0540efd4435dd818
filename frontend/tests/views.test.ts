import { strict as assert } from "node:assert";
import { test } from "node:test";

import type { Json } from "../src/schema";
import { standalone } from "../src/shared/task";
import { explanationView, registerView } from "../src/views";
import { contentView } from "../src/views/content";
import { changedPlaces, joined } from "../src/views/words";

const CONTEXT = standalone();
const drawn = (kind: string, fields: Json, order: string[] = []) =>
  explanationView({ kind, ...fields }, CONTEXT, { order });
const said = (element: Element | null) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const all = (element: Element, selector: string) => [...element.querySelectorAll(selector)].map(said);
const words = (text: string) => text.split(" ");

const WRITTEN: [string, string][] = [
  ["it 's n't bad , is it ?", "it'sn't bad, is it?"],
  ["like a long - running , well - written series", "like a long-running, well-written series"],
  ["[ jackson and bledel ] seem ( oddly ) picked .", "[jackson and bledel] seem (oddly) picked."],
  ['" simone " is fun', '"simone" is fun'],
  ["a ' children 's ' song", "a 'children's' song"],
  ["the actors ' best work", "the actors' best work"],
  [". . . salaciously simplistic .", "... salaciously simplistic."],
  ["crap on a leash -- far too polite", "crap on a leash -- far too polite"],
  ["made for $ 5 , or 10 %", "made for $5, or 10%"],
];
for (const [tokens, wanted] of WRITTEN)
  test(`words are written as people write: ${wanted}`, () => assert.equal(joined(words(tokens)), wanted));

test("words that were put in are found where the lengths differ too", () => {
  assert.deepEqual([...changedPlaces(words("a good film"), words("a very good film"))], [1]);
  assert.deepEqual([...changedPlaces(words("a good film"), words("a bad film"))], [1]);
});

test("a sentence is read as a sentence", () => {
  assert.equal(said(contentView({ tokens: words("no way .") }, CONTEXT)), "no way.");
});

test("the changed values of an edited record are marked by more than a hue", () => {
  const table = contentView(
    { original: { sex: "Male", race: "White" }, edited: { sex: "Female", race: "White" } },
    CONTEXT,
  );
  const changed = table.querySelectorAll("tr.is-changed");
  assert.equal(changed.length, 1);
  assert.equal(said(changed[0] ?? null), "SexMale→changedFemale");
  assert.deepEqual([all(table, "del"), all(table, "ins")], [["Male"], ["Female"]]);
});

test("the changed words of an edited sentence are marked and told", () => {
  const pair = contentView(
    { original: { tokens: words("so much fun") }, edited: { tokens: words("so little fun") } },
    CONTEXT,
  );
  assert.deepEqual(
    [all(pair, "del"), all(pair, "ins"), all(pair, ".visually-hidden")],
    [["much"], ["little"], ["What was changed: “much” became “little”."]],
  );
});

test("fields are read in the order that the trial names", () => {
  assert.deepEqual(all(contentView({ a: 1, b: 2, c: 3 }, CONTEXT, ["c", "a"]), "th"), ["C", "A", "B"]);
});

test("an attribution names values, what plus and minus mean, and the sum", () => {
  const bars = drawn("attribution", {
    features: ["Sex"],
    values: ["Male"],
    weights: [-0.2],
    baseline: 0.5,
    total: 0.3,
    toward: "rich",
  });
  assert.deepEqual(all(bars, "tbody th"), ["Sex Male"]);
  assert.deepEqual(all(bars, ".key"), ["− against “rich”", "+ for “rich”"]);
  assert.deepEqual(all(bars, ".sum"), ["Evidence for “rich”: 0.50 without what is listed here, 0.30 with it."]);
});

const STATED = { features: ["Sex", "Age"], weights: [0.1, -0.3], toward: "rich", against: "poor" };
const statedFor = (answer: string, fields: Json) =>
  explanationView({ kind: "attribution", ...STATED, ...fields }, CONTEXT, { answer });

test("where the page shows the model's answer, the evidence is for that answer", () => {
  const bars = statedFor("poor", { baseline: 0.5, total: 0.3, even: 0.5 });
  assert.deepEqual(all(bars, ".key"), ["− against “poor”", "+ for “poor”"]);
  assert.deepEqual(all(bars, "tbody .weight"), ["+0.30", "−0.10"]);
  assert.deepEqual(all(bars, "tbody th"), ["Age", "Sex"]);
  assert.deepEqual(all(bars, ".sum"), ["Evidence for “poor”: 0.50 without what is listed here, 0.70 with it."]);
  const words = explanationView(
    { kind: "token_attribution", tokens: ["not", "bad"], weights: [-0.3, 0], toward: "rich", against: "poor" },
    CONTEXT,
    { answer: "poor" },
  );
  assert.equal(said(words.querySelector(".sentence")), "not +0.30 bad");
});

test("evidence stays as it is where the answer is hidden, is the same, or its middle is unknown", () => {
  for (const bars of [drawn("attribution", STATED), statedFor("rich", {}), statedFor("poor", { total: 0.3 })])
    assert.deepEqual(all(bars, ".key"), ["− against “rich”", "+ for “rich”"]);
});

test("words that count carry their number, and the others nothing", () => {
  const sentence = drawn("token_attribution", { tokens: words("not bad ."), weights: [-0.31, 0.2, 0] });
  assert.equal(said(sentence.querySelector(".sentence")), "not −0.31 bad +0.20.");
  assert.deepEqual(all(sentence, ".token.is-down"), ["not"]);
});

test("a rule lists its conditions in words", () => {
  const rule = drawn("rule", { label: "rich", conditions: [{ feature: "sex", value: "Male" }], precision: 0.97 });
  assert.deepEqual(all(rule, "p, li"), [
    "The model says “rich” when all of this is true, no matter what else changes:",
    "Sex Male",
    "When this was true, the model gave this answer in 97% of the cases we tried.",
  ]);
});

test("a rule about words frames them in their sentence, and says them", () => {
  const rule = drawn("rule", {
    label: "good",
    tokens: words("a fun , fun film"),
    conditions: [{ token: "film", position: 4 }, { token: "fun" }],
  });
  assert.deepEqual(all(rule, "mark"), ["film"]);
  assert.deepEqual(all(rule, ".visually-hidden, .somewhere"), [
    "Framed words: film.",
    "These words must stay too, in at least one place: “fun”.",
  ]);
});

test("a rule without conditions holds always", () => {
  assert.equal(said(drawn("rule", { label: "good", conditions: [] })), "The model says “good” no matter what changes.");
});

test("a similar record shows what both share", () => {
  const payload = {
    input: { a: "1", b: "2" },
    case: { a: "1", b: "3" },
    label: "rich",
    similarity: 0.974,
    toward: "rich",
    importance: { features: ["b"], weights: [0.5] },
  };
  const shown = drawn("similar_case", payload, ["b", "a"]);
  assert.deepEqual(all(shown, "table.values tbody tr"), ["B23", "A11=same"]);
  assert.deepEqual(all(shown, ".attribution tbody th"), ["B 2"]);
  assert.match(said(shown), /It points to “rich”\. Similarity: 97%\./);
});

test("a similar sentence stands above the words that counted", () => {
  const importance = { tokens: words("so bad"), weights: [0, -3] };
  const shown = drawn("similar_case", {
    input: { tokens: words("so bad") },
    case: { tokens: words("dull .") },
    label: "poor",
    importance,
  });
  assert.deepEqual(all(shown, ".sentence"), ["dull.", "so bad −3.00"]);
});

test("a path shows in each step what is new, and which answer the model leans to", () => {
  const [sexEdit, raceEdit] = [
    { feature: "sex", old: "Male", new: "Female" },
    { feature: "race", old: "White", new: "Black" },
  ];
  const steps = [
    { margin: 1, edits: [sexEdit] },
    { margin: -2, edits: [sexEdit, raceEdit] },
  ];
  const shown = drawn("path", { input: {}, toward: "poor", margin: 3, labels: ["poor", "rich"], steps });
  assert.deepEqual(all(shown, "li"), [
    "Original+3.00leans towards “rich”, +3.00",
    "Step 1Sex Male → replaced by Female+1.00leans towards “rich”, +1.00",
    "Step 2Race White → replaced by Black−2.00leans towards “poor”, −2.00",
  ]);
  assert.equal(shown.querySelectorAll(".gauge .is-down").length, 1);
});

test("a path through a sentence ends in the sentence as it then reads, with or without margins", () => {
  const steps = [{ edits: [{ position: 1, old: "much", new: "little" }] }];
  const shown = drawn("path", {
    input: { tokens: words("so much .") },
    toward: "poor",
    labels: ["poor", "rich"],
    steps,
  });
  assert.equal(said(shown.querySelector(".reading .sentence")), "so little.");
  assert.equal(shown.querySelector(".gauge"), null);
});

test("several explanations stand under headings", () => {
  const parts: Json[] = [
    { kind: "rule", label: "good", conditions: [] },
    { kind: "attribution", features: [], weights: [] },
  ];
  const shown = drawn("several", { parts });
  assert.deepEqual(all(shown, "h3"), ["A rule", "What mattered, and how much"]);
  assert.match(said(shown), /Nothing stood out\./);
});

test("explanations name answers in words, in every part, and leave the words of a case alone", () => {
  const parts: Json[] = [
    { kind: "rule", label: "pos", conditions: [{ token: "pos", position: 0 }], tokens: ["pos"] },
    { kind: "path", toward: "neg", labels: ["neg", "pos"], margin: 1, steps: [], input: { tokens: ["pos"] } },
  ];
  const valueNames = { pos: "positive", neg: "negative" };
  const several: Json = { kind: "several", parts };
  const shown = explanationView(several, CONTEXT, { valueNames });
  assert.deepEqual(all(shown, ".claim"), [
    "The model says “positive” as long as the framed words stay, no matter what the other words are:",
    "Changes after which the model says “negative”:",
  ]);
  assert.deepEqual(all(shown, ".gauge-ends span"), ["← negative", "positive →"]);
  assert.equal(said(shown.querySelector("mark")), "pos");
});

test("a rule is never said to hold in no case at all", () => {
  const shown = drawn("rule", {
    label: "rich",
    conditions: [{ feature: "sex", value: "Male" }],
    precision: 0.96,
    coverage: 0.001,
  });
  assert.match(said(shown), /It is true in less than 1% of all cases\.$/);
});

test("fields that the server leaves empty are drawn like absent ones", () => {
  const conditions = [{ feature: null, value: null, token: "fun", position: null }];
  const shown = drawn("rule", { label: "good", conditions, tokens: ["fun"], precision: null, coverage: null });
  assert.deepEqual(all(shown, "mark, .somewhere, .sum"), ["These words must stay too, in at least one place: “fun”."]);
});

test("what version 0.1.0 recorded is drawn like the same in today's form", () => {
  const edit = { feature: "sex", position: null };
  const old: Json = {
    kind: "several",
    payload: {
      parts: [
        { kind: "rule", payload: { label: "rich", conditions: [] } },
        { kind: "path", payload: { toward: "poor", steps: [{ edits: [{ ...edit, from: "Male", to: "Female" }] }] } },
      ],
    },
  };
  const parts: Json[] = [
    { kind: "rule", label: "rich", conditions: [] },
    { kind: "path", toward: "poor", steps: [{ edits: [{ ...edit, old: "Male", new: "Female" }] }] },
  ];
  assert.equal(explanationView(old, CONTEXT).outerHTML, drawn("several", { parts }).outerHTML);
});

test("a kind without a view is a table, until an extension brings one", () => {
  assert.deepEqual(all(drawn("stars", { n_stars: 3 }), "th, td"), ["Stars", "3"]);
  registerView("stars", (explanation) => {
    const line = document.createElement("p");
    line.textContent = "*".repeat(Number(explanation["n_stars"]));
    return line;
  });
  assert.equal(said(drawn("stars", { n_stars: 3 })), "***");
});

test("an extension cannot replace a built-in view", () => {
  assert.throws(() => registerView("rule", () => document.createElement("p")), /rule has a view already/);
});
