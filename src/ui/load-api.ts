/**
 * The client arrives with the first keystroke, not with the page: showing a question needs none of it.
 * The browser keeps the module, so only the first call waits.
 */
export const loadApi = () => import("./api-client").then(module => module.api);
