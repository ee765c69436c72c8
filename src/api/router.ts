import { accountRouter } from "./account-router";
import { telemetryRouter } from "./telemetry-router";
import { router } from "./trpc";
import { usernameRouter } from "./username-router";

export const appRouter = router({
  username: usernameRouter,
  account: accountRouter,
  telemetry: telemetryRouter,
});

export type AppRouter = typeof appRouter;
