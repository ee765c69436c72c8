import { existsSync } from "node:fs";
import { aptInstall } from "../runtime/embedded/apt-install";
import { isOnPath } from "../runtime/embedded/find-redis";
import { runToEnd } from "../runtime/supervise/run-to-end";

/** A browser for the end-to-end tests: the system's, else Debian's package, else Playwright's own. */
export async function ensureChromium(): Promise<void> {
  if (existsSync(process.env.CHROMIUM_PATH ?? "/usr/bin/chromium")) return;
  if (process.getuid?.() === 0 && isOnPath("apt-get")) {
    console.log("Installing chromium with apt-get");
    await aptInstall("chromium", 600_000);
    if (existsSync("/usr/bin/chromium")) return;
  }
  console.log("Installing Playwright's own Chromium");
  await runToEnd("npx", ["playwright", "install", "chromium"]);
}
