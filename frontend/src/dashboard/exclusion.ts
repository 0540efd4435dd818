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
