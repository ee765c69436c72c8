/**
 * Loads the API client with the first keystroke, because the first question does not need it.
 * The browser caches the module, so only the first call waits.
 */
export const loadApi = () => import("./api-client").then(module => module.api);
