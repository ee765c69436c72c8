import { debounce, parseAsString } from "nuqs";

/** Text typed into the address: the page shows each letter at once, the address and the server a pause later. */
export const searchParser = parseAsString.withDefault("").withOptions({ limitUrlUpdates: debounce(250) });
