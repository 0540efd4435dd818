/** What Vega expects of a browser and an embedded engine lacks; imported first, since Vega looks at once. */

const engine = globalThis as unknown as Record<string, unknown>;
const silent = () => undefined;

// Specifications are JSON, so that a copy by way of JSON loses nothing.
engine["structuredClone"] ??= (value: unknown) => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
engine["console"] ??= { debug: silent, error: silent, info: silent, log: silent, warn: silent };
engine["performance"] ??= { now: () => 0 };
// Nothing in a figure that stands still has to wait.
engine["setTimeout"] ??= (task: () => void) => task();
engine["clearTimeout"] ??= silent;
