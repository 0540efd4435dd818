/** What the participant's page can do without until its first screen is there, in a file of its own. */

export { loadModules } from "./extensions/modules";
export { StaticHost } from "./static/host";
export { taskNamed } from "./tasks";
