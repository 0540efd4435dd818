/** Grid keys: one stop for the Tab key in a table of buttons, arrows between them, and a table that can be scrolled. */

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

/** Fifty pictures would be fifty stops on the way to the question. */
export function arrowKeys(table: HTMLTableElement): void {
  const buttons = [...table.querySelectorAll("button")];
  for (const [index, button] of buttons.entries()) button.tabIndex = index === 0 ? 0 : -1;
  const stopAt = (chosen: HTMLButtonElement) => {
    for (const button of buttons) button.tabIndex = button === chosen ? 0 : -1;
  };
  table.addEventListener("focusin", ({ target }) => {
    const button = (target as Element).closest("button");
    if (button) stopAt(button);
  });
  table.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    // Arrows inside a cell's own control, such as a scale, belong to that control.
    const next = step && (event.target as Element).closest("button") && neighbour(event.target as Element, step);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

function neighbour(from: Element, [down, right]: readonly [number, number]): HTMLElement | null {
  const cell = from.closest("td");
  const row = cell?.closest("tr");
  if (!cell || !row) return null;
  const line = row.parentElement?.children[row.sectionRowIndex + down];
  return line?.children[cell.cellIndex + right]?.querySelector("button") ?? null;
}

/** Lets the keyboard scroll a region, but only while there is something to scroll. */
export function scrollable(region: HTMLElement, label: string): void {
  if (typeof ResizeObserver === "undefined") return;
  const observer = new ResizeObserver(() => {
    const isLarger = region.scrollWidth > region.clientWidth + 1 || region.scrollHeight > region.clientHeight + 1;
    if (isLarger) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
    for (const [name, value] of [
      ["role", "region"],
      ["aria-label", label],
    ] as const) {
      if (isLarger) region.setAttribute(name, value);
      else region.removeAttribute(name);
    }
  });
  observer.observe(region);
}
