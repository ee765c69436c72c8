/**
 * Node flags of a server process. A request leaves much short-lived garbage: with a young generation
 * of 32 MiB instead of 16 most of it is gone before it is ever copied.
 */
export const SERVER_NODE_FLAGS = ["--max-semi-space-size=32"];
