/** Drawn things as plain values: they become text without a page, or are brought onto a page with few changes. */

export type Attribute = string | number | boolean | null | undefined;
export interface Drawn {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly children: readonly Part[];
}
export type Part = Drawn | string;

const SVG = "http://www.w3.org/2000/svg";
const XHTML = "http://www.w3.org/1999/xhtml";

/** Makes one element; parts that are null are left out. */
export function d(tag: string, attributes: Record<string, Attribute> = {}, ...children: (Part | null)[]): Drawn {
  return { tag, attributes, children: children.filter((child) => child !== null) };
}

/** Writes a drawing as markup; every text is escaped. */
export function textOf(part: Part): string {
  if (typeof part === "string") return escaped(part);
  const attributes = Object.entries(part.attributes).map(([name, value]) => {
    const text = attributeText(value);
    return text === null ? "" : ` ${name}="${escaped(text)}"`;
  });
  // A style sheet is ours alone, and the one text that must not be escaped.
  const inside = part.tag === "style" ? part.children.join("") : part.children.map(textOf).join("");
  return inside === ""
    ? `<${part.tag}${attributes.join("")}/>`
    : `<${part.tag}${attributes.join("")}>${inside}</${part.tag}>`;
}

/** Makes the element on the page. */
export function made(part: Drawn, parent: Node | null = null): Element {
  const namespace = part.tag === "svg" || (parent instanceof Element && parent.namespaceURI === SVG) ? SVG : XHTML;
  const element = document.createElementNS(namespace, part.tag);
  for (const [name, value] of Object.entries(part.attributes)) put(element, name, value);
  for (const child of part.children) element.append(typeof child === "string" ? child : made(child, element));
  return element;
}

/** Changes an element that shows `old` until it shows `now`, and touches nothing else: what has the focus keeps it. */
export function changed(element: Element, old: Drawn, now: Drawn): void {
  if (old === now) return;
  for (const [name, value] of Object.entries(now.attributes))
    if (old.attributes[name] !== value) put(element, name, value);
  for (const name of Object.keys(old.attributes)) if (!(name in now.attributes)) element.removeAttribute(name);
  now.children.forEach((child, index) => {
    const before = old.children[index];
    const node = element.childNodes[index];
    if (before === undefined || node === undefined)
      element.append(typeof child === "string" ? child : made(child, element));
    else if (typeof child === "string" || typeof before === "string" || before.tag !== child.tag) {
      if (before !== child) node.replaceWith(typeof child === "string" ? child : made(child, element));
    } else changed(node as Element, before, child);
  });
  while (element.childNodes.length > now.children.length) element.lastChild?.remove();
}

function put(element: Element, name: string, value: Attribute): void {
  const text = attributeText(value);
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

function attributeText(value: Attribute): string | null {
  if (value === null || value === undefined || value === false) return null;
  return value === true ? "" : typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
