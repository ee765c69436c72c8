import { readFile } from "node:fs/promises";

/** The compiled kernel, beside this file's sources and beside the bundles in dist. */
const WASM = new URL("./kernel.wasm", import.meta.url);

export async function loadKernel(): Promise<WebAssembly.Module> {
  const bytes = await readFile(WASM).catch((cause: unknown) => {
    throw new Error("the filter's build kernel is not compiled: run npm run generate", { cause });
  });
  return WebAssembly.compile(bytes);
}
