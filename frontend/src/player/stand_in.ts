/** Stand-in: a driver outside the page that answers in place of a person, in rehearsals. */

import type { Answers } from "../schema";
import type { StepState } from "./state";

/** Says what a simulated person answers at a step; null when they walk away from it. */
export type StandIn = (number: number, trialId: string) => Promise<Answers | null>;

interface Rehearsed {
  /** Put there by the driver before the page starts; absent for everybody else. */
  understudyStandIn?: StandIn;
  /** Told that a part is announced; a driver that does not care leaves it out. */
  understudyAnnounced?: (number: number) => Promise<void>;
}

/** Finds the driver, where there is one. */
export function standInOf(view: object): StandIn | null {
  return (view as Rehearsed).understudyStandIn ?? null;
}

/** Lets the driver look at an announcement, and begins the part. */
export async function beginsPart(view: object, number: number, stage: HTMLElement): Promise<void> {
  await (view as Rehearsed).understudyAnnounced?.(number);
  stage.querySelector<HTMLButtonElement>(".announcement .primary")?.click();
}

/** The answers of one step, asked for when the screen is there and not before, as a person would see it first. */
export class Told {
  #isShown: () => void = () => undefined;
  readonly #shown = new Promise<void>((resolve) => (this.#isShown = resolve));

  constructor(
    private readonly standIn: StandIn,
    private readonly step: StepState,
  ) {}

  /** Takes note that the screen is drawn. */
  shown(): void {
    this.#isShown();
  }

  /** Who walks away never answers: the screen stays as it is until the page is closed. */
  async answers(): Promise<Answers> {
    await this.#shown;
    const answers = await this.standIn(this.step.number, this.step.trial.trial_id);
    return answers ?? (await new Promise<Answers>(() => undefined));
  }
}
