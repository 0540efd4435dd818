/** NASA-TLX: six scales of load. The Python half writes them, and the page is that of every questionnaire. */

import { taskPlugin } from "../shared/task";
import { formPage } from "./questionnaire";

export default taskPlugin("nasa_tlx", "1", formPage);
