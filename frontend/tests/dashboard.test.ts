import { strict as assert } from "node:assert";
import { test } from "node:test";

import { activePanel } from "../src/dashboard/active";
import { studyCard } from "../src/dashboard/counts";
import {
  type Cell,
  Desk,
  type Flow,
  type SessionEvent,
  type SessionPage,
  type SessionRecord,
  type SessionRow,
  type StudyCounts,
} from "../src/dashboard/desk";
import { clockTime, sinceWords } from "../src/dashboard/figures";
import { flowFigure, flowInWords } from "../src/dashboard/flow";
import { momentsOf, pauseAfter, screenAt } from "../src/dashboard/moments";
import { recruiting } from "../src/dashboard/recruiting";
import { ScreenView } from "../src/dashboard/screen";
import { sessionTable, shortName } from "../src/dashboard/sessions";
import type { StepState } from "../src/player/state";
import { fetchLater } from "../src/player/task_pages";
import { NO_FEEDBACK } from "../src/schema";
import { asked } from "./asked";

// As the dashboard does before it shows a screen.
await fetchLater();

const page = { session_id: "s", stream: "page" as const, trial_id: "t" };
const engine = { session_id: "s", stream: "engine" as const };
const assignment = { arrival: 0, condition: "c", levels: {}, orders: {}, lists: {}, seed: 1 };
const who = {
  study_name: "n",
  study_digest: "d",
  participant_id: "p",
  participant_kind: "person" as const,
  cast: null,
};
const EVENTS: SessionEvent[] = [
  { ...engine, ...who, type: "session_started", seq: 1, at_ms: 900_000, assignment },
  { ...page, type: "trial_shown", seq: 1, at_ms: 1000, step: 0 },
  { ...page, type: "interacted", seq: 2, at_ms: 1500, step: 0, action: "draft", payload: { answers: { guess: "no" } } },
  {
    ...page,
    type: "response_given",
    seq: 3,
    at_ms: 9500,
    step: 0,
    response: { guess: "yes" },
    rt_ms: 8500,
    active_ms: null,
  },
  { ...engine, type: "session_ended", seq: 2, at_ms: 950_000, outcome: "completed", reason: "", block_id: null },
];
const STEP: StepState = {
  number: 0,
  trial: {
    trial_id: "t",
    block_id: "b",
    task: "questionnaire",
    params: {},
    asks: asked({ kind: "choice", question_id: "guess", prompt: "?", options: ["yes", "no"], is_shuffled: true }),
    explanation: null,
  },
  feedback: NO_FEEDBACK,
  references: [],
  purpose: "main",
  position: 0,
  n_positions: 1,
  progress: 0,
  minutes_left: 1,
  part: null,
  opening: null,
  gate: null,
  try_number: 1,
  saved: [],
  shown_seq: true,
  is_recorded: false,
};
const RECORD: SessionRecord = { events: EVENTS, steps: [STEP], warnings: [] };
const MOMENTS = momentsOf(EVENTS);

function drawnAt(index: number): ScreenView {
  const view = new ScreenView({
    modules: { tasks: {}, kinds: {} },
    digest: "d",
    language: "en",
    shown_title: "Study",
    minutes: null,
    pay: null,
  });
  view.show(screenAt(RECORD, MOMENTS, index), () => undefined);
  return view;
}

function ticked(view: ScreenView): string[] {
  const inputs = [...view.element.querySelectorAll<HTMLInputElement>("input")];
  return inputs.filter((input) => input.checked).map((input) => input.closest("label")?.textContent ?? "");
}

test("only the page's clock moves a replay on", () => {
  assert.deepEqual(
    MOMENTS.map((moment) => moment.elapsed_ms),
    [0, 0, 500, 8500, 8500],
  );
});

test("a replay shows nothing, then the draft, then the answer", () => {
  assert.deepEqual(
    [1, 2, 3].map((moment) => ticked(drawnAt(moment))),
    [[], ["no"], ["yes"]],
  );
});

test("after the last answer the last screen stays", () => {
  assert.deepEqual(ticked(drawnAt(4)), ["yes"]);
});

test("nothing on a replayed screen can be changed", () => {
  const controls = [...drawnAt(2).element.querySelectorAll<HTMLInputElement>("input, button")];
  assert.deepEqual([controls.length > 0, controls.every((control) => control.disabled)], [true, true]);
});

test("long pauses are shortened and speed divides them", () => {
  assert.deepEqual([pauseAfter(MOMENTS, 1, 1), pauseAfter(MOMENTS, 2, 4)], [500, 750]);
});

test("every call carries the header that other sites cannot set", async () => {
  let heard = "";
  const desk = new Desk(async (_, options) => {
    heard = new Headers(options?.headers).get("X-Understudy-Admin") ?? "";
    return new Response("{}");
  });
  await desk.exclude("a study", "s", "reason");
  assert.equal(heard, "1");
});

const FLOW: Flow = {
  recruited: 20,
  declined: 1,
  screened_out: 2,
  left: 3,
  active: 0,
  excluded_by_rule: 1,
  excluded_by_hand: 0,
  completed: 13,
};

test("the flow shows every stop with its number", () => {
  const shown = [...flowFigure(FLOW, "person").querySelectorAll("[data-stop]")].map((stop) => [
    stop.getAttribute("data-stop"),
    Number(stop.textContent),
  ]);
  assert.deepEqual(Object.fromEntries(shown), FLOW);
});

test("the flow draws an arm for every stop where somebody is", () => {
  assert.equal(flowFigure(FLOW, "person").querySelectorAll(".arm").length, 4);
});

test("a study that nobody has come to yet has a flow of noughts", () => {
  const none = Object.fromEntries(Object.keys(FLOW).map((name) => [name, 0])) as unknown as Flow;
  const drawn = flowFigure(none, "person");
  assert.deepEqual([drawn.querySelectorAll(".arm").length, drawn.outerHTML.includes("NaN")], [0, false]);
});

test("the flow says the same in words, and whose it is", () => {
  assert.equal(
    flowInWords(FLOW, "synthetic"),
    "Flow of simulated people: 20 recruited, 1 declined, 2 screened out, 3 left, 0 under way, 1 excluded by rule, 0 excluded by hand, 13 completed.",
  );
});

function counts(study: Partial<StudyCounts>): StudyCounts {
  return {
    is_pilot: false,
    name: "s",
    title: "S",
    shown_title: "S",
    minutes: null,
    pay: null,
    language: "en",
    modules: { tasks: {}, kinds: {} },
    digest: "d",
    kinds: {},
    flows: {},
    cells: [],
    n_erased: 0,
    median_minutes: null,
    pay_per_hour: null,
    currency: null,
    links: "open",
    is_paused: false,
    is_platform_paused: false,
    n_deposits: 0,
    n_schemes: 0,
    ...study,
  };
}

test("the heading of a card says whose run it is", () => {
  const study = counts({ kinds: { synthetic: 0 } });
  assert.equal(
    studyCard(study, false, () => true).element.querySelector(".study-name .badge")?.textContent,
    "Simulated people",
  );
});

test("simulated people are counted apart and labelled", () => {
  const none = {
    screened_out: 0,
    declined: 0,
    withdrew: 0,
    abandoned: 0,
    erased: 0,
    excluded: 0,
    active: 0,
    assigned: 9,
    quota: 10,
  };
  const cells: Cell[] = [
    { ...none, condition: "a", kind: "person", completed: 2 },
    { ...none, condition: "a", kind: "synthetic", completed: 7 },
  ];
  const study = counts({
    kinds: { person: 2, synthetic: 7 },
    flows: { person: FLOW, synthetic: FLOW },
    cells,
    median_minutes: 3,
    pay_per_hour: 9,
    currency: "EUR",
  });
  const { element } = studyCard(study, false, () => true);
  const completed = [...element.querySelectorAll("[data-count=completed]")].map((cell) => cell.textContent);
  const captions = [...element.querySelectorAll("caption")].map((caption) => caption.textContent?.trim());
  const facts = [...element.querySelectorAll("dd")].map((fact) => fact.textContent);
  assert.deepEqual(
    [completed, captions],
    [
      ["2", "7"],
      ["People", "Simulated people SYNTHETIC"],
    ],
  );
  assert.deepEqual(facts, ["see below", "see below", "–", "–"]);
});

function completed(n: number): StudyCounts {
  const none = { screened_out: 0, declined: 0, withdrew: 0, abandoned: 0, erased: 0, excluded: 0, active: 0 };
  const cells: Cell[] = [{ ...none, condition: "a", kind: "person", assigned: n, quota: 10, completed: n }];
  return counts({ kinds: { person: n }, cells, median_minutes: 0.1, pay_per_hour: 1800, currency: "EUR" });
}

test("one person's hurry is not told as everybody's pay", () => {
  const facts = (study: StudyCounts) =>
    [...studyCard(study, true, () => false).element.querySelectorAll("dd")].slice(2).map((fact) => fact.textContent);
  assert.deepEqual(
    [facts(completed(1)), facts(completed(5))],
    [
      ["shown after 5 people", "shown after 5 people"],
      ["6 s", "1800.00 EUR"],
    ],
  );
});

test("links to what a role may not have are left out", () => {
  const links = (may: boolean) =>
    [...studyCard(completed(1), true, () => may).element.querySelectorAll("a")].map((link) => link.textContent);
  assert.deepEqual(links(false), ["Open the report", "Monitor", "Preview"]);
  assert.deepEqual(links(true), ["Open the report", "Download the export", "Monitor", "Preview", "Who did what"]);
});

test("a last sign of life is told as coarsely as people tell it", () => {
  assert.deepEqual([-5, 12_000, 200_000, 7_200_000, 300_000_000].map(sinceWords), [
    "0 s",
    "12 s",
    "3 min",
    "2 h",
    "3 days",
  ]);
});

test("the people who are active are listed with step and last sign of life", async () => {
  const rows = [
    { ...row, outcome: null, arrival: 3, step: "7 · predict", last_seen_ms: 901_000, warnings: ["Too fast."] },
    // Heard from a quarter of an hour ago: their place is kept, and they are not there.
    { ...row, outcome: null, arrival: 4, step: "2 · consent", last_seen_ms: 31_000 },
  ];
  const desk = { sessions: async () => ({ total: 2, rows, now_ms: 931_000 }) } as unknown as Desk;
  const panel = activePanel(desk, completed(1));
  await panel.refresh(completed(1));
  assert.equal(panel.element.hidden, true);
  const busy = completed(1);
  await panel.refresh({ ...busy, cells: busy.cells.map((cell) => ({ ...cell, active: 1 })) });
  const [person, ...others] = panel.element.querySelectorAll("li");
  assert.equal(others.length, 0);
  assert.equal(panel.element.querySelector("h2")?.textContent, "Active now: 1");
  assert.equal(
    panel.element.querySelector(".hint")?.textContent,
    "One more is under way, but was not heard from for 5 minutes.",
  );
  const told = [...(person?.children ?? [])].map((part) => part.textContent);
  assert.deepEqual(told, ["#4", "a", "step 7 · predict", "last heard from 30 s ago", "Too fast."]);
});

test("a pause is told in words, and the button then resumes", () => {
  const panel = recruiting({ may: () => true } as unknown as Desk, completed(1), () => undefined);
  const said = () => [
    panel.element.querySelector("[role=status].recruiting-state"),
    panel.element.querySelectorAll("button")[1],
  ];
  assert.deepEqual(
    said().map((part) => part?.textContent),
    ["Open to new participants.", "Pause recruitment"],
  );
  panel.update({ ...completed(1), is_paused: true });
  assert.match(said()[0]?.textContent ?? "", /^Recruitment is paused\..* Your recruiter does not know about this/);
  panel.update({ ...completed(1), is_paused: true, is_platform_paused: true });
  assert.match(said()[0]?.textContent ?? "", /^Recruitment is paused\..* It is paused at your recruiter, too/);
  assert.equal(said()[1]?.textContent, "Resume recruitment");
});

test("times are written as minutes and seconds", () => {
  assert.equal(clockTime(65_400), "1:05");
});

const row: SessionRow = {
  session_id: "x",
  participant_id: "p",
  kind: "person",
  condition: "a",
  arrival: 0,
  outcome: "declined",
  excluded_by: null,
  started_ms: 0,
  last_event_ms: 0,
  minutes: 1,
  code: null,
  warnings: [],
  step: null,
  last_seen_ms: null,
};

test("what the server noticed about a session is in its row", async () => {
  const warnings = ["The page claims more time than passed on the server."];
  const rows = [row, { ...row, session_id: "y", warnings }];
  const desk = { sessions: async () => ({ total: 2, rows, now_ms: 0 }) } as unknown as Desk;
  const { element, refresh } = sessionTable(desk, counts({ kinds: { person: 2 } }));
  await refresh();
  const told = [...element.querySelectorAll("tbody tr")].map((line) => line.children[5]?.textContent);
  assert.deepEqual(told, ["–", warnings[0]]);
});

test("an answer to an earlier filter is not shown under a later one", async () => {
  const answers: ((page: SessionPage) => void)[] = [];
  const desk = { sessions: () => new Promise<SessionPage>((resolve) => answers.push(resolve)) } as unknown as Desk;
  const study = counts({ kinds: { person: 2 } });
  const { element, refresh } = sessionTable(desk, study);
  const first = refresh();
  const select = element.querySelector("select");
  if (select) select.value = "completed";
  const second = refresh();
  answers[1]?.({ total: 0, rows: [], now_ms: 0 });
  answers[0]?.({ total: 1, rows: [row], now_ms: 0 });
  await Promise.all([first, second]);
  assert.equal(element.querySelectorAll("tbody tr").length, 0);
});

test("simulated people can be told apart in the list", () => {
  assert.deepEqual(["synthetic-person-000000", "synthetic-person-000012", "p-00ab12cd34ef"].map(shortName), [
    "person-0",
    "person-12",
    "p-00ab12cd",
  ]);
});
