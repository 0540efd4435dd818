/** What the browser module of an extension gets and gives, version 1. It stands alone, so that authors can copy it. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
export type Json = { [name: string]: JsonValue };
export type Child = Node | string | null | undefined;
export type Property = string | number | boolean | null | undefined | ((event: Event) => void);
/** Question id -> answer. */
export type Answers = { [question: string]: JsonValue };

/** What a page is given to show: what the task's `Params` declare, its questions, and the explanation. */
export interface Shown<P = Json> {
  readonly params: P;
  readonly asks: readonly object[];
  readonly explanation: ({ readonly kind: string } & object) | null;
}

/** What surrounds a page. */
export interface Context {
  /** The language of the study, such as en. */
  readonly language: string;
  /** The title of the study. */
  readonly title: string;
  /** The purpose of the block, such as practice or main. */
  readonly purpose: string;
  /** The number of the trial in its stage; the first one is 1. */
  readonly position: number;
  readonly nPositions: number;
  /** What was logged before a reload, and what a replay draws from. */
  readonly saved: readonly { readonly action: string; readonly payload: Json }[];
  /** True where the page is only looked at again: no questions, no button to continue. */
  readonly isReference: boolean;
  /** Returns where a file of the study is. */
  media(address: string): string;
  /** Records anything that happens and is not an answer; what changes the screen must be logged. */
  log(action: string, payload: Json): void;
}

/** The controls of a page's questions. */
export interface Form {
  readonly element: HTMLElement;
  /** The answers, or null after saying what is missing. */
  answers(): Answers | null;
  /** Enters answers through the controls, for simulated participants. */
  enter(answers: Answers, hands: Hands): void;
}

/** Uses controls as a person would. */
export interface Hands {
  click(target: Element): void;
  type(target: HTMLInputElement | HTMLTextAreaElement, text: string): void;
  slide(target: HTMLInputElement, value: number): void;
}

export interface PageOptions {
  readonly heading: string;
  readonly body: Child[];
  readonly form?: Form | null;
  /** What the button says. */
  readonly next?: string;
  readonly isWide?: boolean;
  /** Returns the answers to send, or null to stay; those of the form when absent. */
  answers?(): Answers | null;
}

/** What a drawn page lets others do with it. */
export interface Rendered {
  /** Resolves when the screen is drawn, where that takes longer than the call. */
  readonly ready?: Promise<void>;
  fill?(answers: Answers, hands: Hands): void;
  /** Presses the button; called again until the task is done. */
  press(): void;
  cleanup?(): void;
}

/** Draws a page into an element. */
export type Render<P = Json> = (
  shown: Shown<P>,
  element: HTMLElement,
  context: Context,
  done: (answers: Answers) => void,
) => Rendered;

/** Draws an explanation. Everything a sighted person sees in it must also be said in words. */
export type View<T = Json> = (explanation: T, context: Context) => HTMLElement;

/** What a module can use. */
export interface Understudy {
  readonly version: 1;
  /** Makes an element; `on…` properties become listeners. Text stays text and is never read as markup. */
  h<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    properties?: Record<string, Property>,
    ...children: Child[]
  ): HTMLElementTagNameMap[K];
  /** Makes an element of a drawing. */
  svg(tag: string, properties?: Record<string, string | number>, ...children: Child[]): SVGElement;
  /** Returns an id that no other element of the page has. */
  freshId(stem: string): string;
  /** Turns a field name such as years_employed into words. */
  words(name: string): string;
  /** Sets a plain text with paragraphs, lists, headings and bold. */
  prose(text: string): HTMLElement[];
  /** Draws the card with its heading and its button, and sends the answers. */
  page(
    element: HTMLElement,
    context: Context,
    options: PageOptions,
    done: (answers: Answers) => void,
  ): { readonly card: HTMLElement; press(): void };
  /** Makes the form of a page's questions, with drafts kept over a reload; null where nothing is asked. */
  form(asks: readonly object[], context: Context, names?: Readonly<Record<string, string>>): Form | null;
  /** Draws an explanation of any kind. */
  explanation(explanation: { readonly kind: string } & object, context: Context): HTMLElement;
  /** Draws an item as the task `judge` does. */
  item(content: Json, context: Context): HTMLElement;
}

/** What a module draws, by the names of its Python half. */
export interface Drawn {
  readonly tasks?: Readonly<Record<string, Render>>;
  readonly views?: Readonly<Record<string, View>>;
}

/** A module exports `version`, the version of this file, and as its default a function that returns what it draws. */
export interface ExtensionModule {
  readonly version: 1;
  readonly default: (understudy: Understudy) => Drawn;
}
