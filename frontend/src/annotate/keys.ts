/** The keys of the coding page: numbers choose, Enter stores, arrows move, U takes back, N writes a note. */

export interface KeyActs {
  press(number: number): boolean;
  submit(): void;
  move(by: number): void;
  undo(): void;
  note(): void;
  /** Leaves a field. */
  leave(): void;
}

/** Listens to the whole page until the returned function is called. */
export function keysOf(acts: KeyActs): () => void {
  const listen = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.isComposing) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const isField = target.matches("textarea, input:not([type=radio], [type=checkbox])");
    if (isField ? inField(event, acts) : onPage(event, target, acts)) event.preventDefault();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

/** In a note or a label, keys write; only Escape leaves, and Ctrl+Enter stores. */
function inField(event: KeyboardEvent, acts: KeyActs): boolean {
  if (event.key === "Escape") acts.leave();
  else if (event.key === "Enter" && event.ctrlKey) acts.submit();
  else return false;
  return true;
}

function onPage(event: KeyboardEvent, target: HTMLElement, acts: KeyActs): boolean {
  // The player of a recording has keys of its own.
  if (target.closest("audio")) return false;
  const key = event.key.toLowerCase();
  if (key === "z" && event.ctrlKey) acts.undo();
  else if (event.ctrlKey) return false;
  else if (/^[1-9]$/.test(key)) return acts.press(Number(key));
  else if (key === "arrowright") acts.move(1);
  else if (key === "arrowleft") acts.move(-1);
  else if (key === "u") acts.undo();
  else if (key === "n") acts.note();
  // On a button or a link, Enter presses that.
  else if (key === "enter" && !target.closest("button, a, summary")) acts.submit();
  else return false;
  return true;
}
