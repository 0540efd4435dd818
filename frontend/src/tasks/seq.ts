/** SEQ: how hard a part was. The Python half writes the question, and the page is that of every questionnaire. */

import { taskPlugin } from "../shared/task";
import { formPage } from "./questionnaire";

export default taskPlugin("seq", "1", formPage);
