/** Tasks that people meet first; they come with the page, and the others follow while people read. */

import type { TaskPlugin } from "../shared/task";
import consent from "./consent";
import device_check from "./device_check";

export const FIRST: Readonly<Record<string, TaskPlugin>> = { consent, device_check };
