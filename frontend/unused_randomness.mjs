/** Stands in for packages that jsPsych imports and our pages never call, to keep the first page small. */

export default function unused() {
  throw new Error("all chance in a study comes from the server, so jsPsych's own randomness is not part of this page");
}
