import { existsSync } from "node:fs";
import { aptInstall } from "../runtime/embedded/apt-install";
import { isOnPath } from "../runtime/embedded/find-redis";
import { runToEnd } from "../runtime/supervise/run-to-end";

/** Debian's packages, which put a program of the same name into /usr/bin. The first needs a third less time. */
const PACKAGES = ["chromium-headless-shell", "chromium"];

const programs = () => PACKAGES.map(name => `/usr/bin/${name}`).filter(existsSync);

/** The browser of the end-to-end tests: CHROMIUM_PATH, else the system's; undefined for Playwright's own. */
export function chromiumPath(): string | undefined {
  return process.env.CHROMIUM_PATH ?? programs()[0];
}

/** Installs what `chromiumPath` finds, by apt-get where that is possible, else Playwright's own. */
export async function ensureChromium(): Promise<void> {
  if (process.env.CHROMIUM_PATH) return;
  const canInstall = process.getuid?.() === 0 && isOnPath("apt-get");
  const wanted = canInstall ? PACKAGES : [];
  for (const name of wanted) {
    if (programs().some(path => path.endsWith(`/${name}`))) return;
    console.log(`Installing ${name} with apt-get`);
    await aptInstall(name, 600_000);
  }
  if (programs().length > 0) return;
  console.log("Installing Playwright's own Chromium");
  await runToEnd("npx", ["playwright", "install", "chromium"]);
}
