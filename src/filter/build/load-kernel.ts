import { readFile } from "node:fs/promises";

/** The compiled kernel, beside this source file and beside the bundles in dist. */
const WASM = new URL("./kernel.wasm", import.meta.url);

export async function loadKernel(): Promise<WebAssembly.Module> {
  const bytes = await readFile(WASM).catch((cause: unknown) => {
    throw new Error("The filter's build kernel is not compiled. Run npm run generate.", { cause });
  });
  return WebAssembly.compile(bytes);
}
