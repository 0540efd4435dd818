/** Exclusion: takes a session out of the sample, never without a reason. */

import { askForReason } from "./reason";

/** Opens the dialog; `exclude` throws what the server has against it. */
export function askToExclude(exclude: (reason: string) => Promise<void>): void {
  askForReason(
    {
      heading: "Exclude this session?",
      text: "Its events stay in the log, but it no longer counts. The reason is shown in the participant flow of the report. This cannot be undone.",
      button: "Exclude",
    },
    exclude,
  );
}

/** Asks whether to erase somebody at their request; what the server has against it is said in the dialog. */
export function askToErase(erase: () => Promise<void>): void {
  askForReason(
    {
      heading: "Erase this person?",
      text: "Do this only when the person asks for it. Their answers, times, recordings and ids are deleted here, also from pay lists and reports in the run folder. Backups keep them until you make a new one and delete the old. This cannot be undone. Type erase to confirm.",
      button: "Erase",
      label: "Confirmation",
      wanted: "erase",
    },
    () => erase(),
  );
}
