import { debounce, parseAsString } from "nuqs";

/** Typed text in the address: the page shows it at once, the address and the server follow after a pause. */
export const searchParser = parseAsString.withDefault("").withOptions({ limitUrlUpdates: debounce(250) });
