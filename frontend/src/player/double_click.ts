/** Double clicks: the second press of one belongs to the page of the first, and never to the page that came after it. */

/** Ignores the second click of a double click when the page has changed under it; returns how to stop. */
export function guardDoubleClicks(root: HTMLElement): () => void {
  let pressed: Element | null = null;
  const guard = (event: MouseEvent) => {
    const page = event.target instanceof Element ? event.target.closest(".card, dialog") : null;
    // The browser counts clicks by time and place, whatever lies under the pointer.
    if (event.detail > 1 && page !== pressed) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    pressed = page;
  };
  root.addEventListener("click", guard, { capture: true });
  return () => root.removeEventListener("click", guard, { capture: true });
}
