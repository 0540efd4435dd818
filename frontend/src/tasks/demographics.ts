/** Demographics: who took part. The Python half writes the questions, and the page is that of every questionnaire. */

import { taskPlugin } from "../shared/task";
import { formPage } from "./questionnaire";

export default taskPlugin("demographics", "1", formPage);
