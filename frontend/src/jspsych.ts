/** The bundle for somebody else's jsPsych page: our tasks as plugins, and how to add views. What needs a server is left out. */

export { default as checkSteps } from "./tasks/check_steps";
export { default as consent } from "./tasks/consent";
export { default as debrief } from "./tasks/debrief";
export { default as decideSteps } from "./tasks/decide_steps";
export { default as demographics } from "./tasks/demographics";
export { default as deviceCheck } from "./tasks/device_check";
export { default as feedback } from "./tasks/feedback";
export { default as instructions } from "./tasks/instructions";
export { default as judge } from "./tasks/judge";
export { default as nasaTlx } from "./tasks/nasa_tlx";
export { default as questionnaire } from "./tasks/questionnaire";
export { default as rateMatches } from "./tasks/rate_matches";
export { default as reconstruct } from "./tasks/reconstruct";
export { default as relevance } from "./tasks/relevance";
export { default as seq } from "./tasks/seq";
export { default as singleDial } from "./tasks/single_dial";
export { default as tradeOff } from "./tasks/trade_off";
export { default as treeWarmUp } from "./tasks/tree_warm_up";
export { default as video } from "./tasks/video";
export { registerView } from "./views";
export { registerPicture } from "./views/picture";
