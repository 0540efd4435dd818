/** Builds elements without ever parsing text as markup: what people or studies write stays text. */

type Listener = (event: Event) => void;
type Property = string | number | boolean | null | undefined | Listener;
export type Child = Node | string | null | undefined;

/** Makes an element; `on…` properties become listeners, true and false become present and absent attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, Property> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

/** Makes an element of a drawing. */
export function svg(tag: string, properties: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag) as SVGElement;
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, String(value));
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

let made = 0;

/** Returns an id that no other element of the page has. */
export function freshId(stem: string): string {
  made += 1;
  return `${stem}-${made}`;
}

/** Turns a field name such as years_employed into words; the n_ of a count is left out. */
export function words(name: string): string {
  const text = name.replace(/^n_/, "").replaceAll("_", " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
