import { accountRouter } from "./account-router";
import { auditRouter } from "./audit-router";
import { reservedRouter } from "./reserved-router";
import { sessionRouter } from "./session-router";
import { switchRouter } from "./switch-router";
import { tokenRouter } from "./token-router";
import { telemetryRouter } from "./telemetry-router";
import { router } from "./trpc";
import { userRouter } from "./user-router";
import { usernameRouter } from "./username-router";

export const appRouter = router({
  username: usernameRouter,
  account: accountRouter,
  session: sessionRouter,
  user: userRouter,
  reserved: reservedRouter,
  audit: auditRouter,
  switch: switchRouter,
  token: tokenRouter,
  telemetry: telemetryRouter,
});

export type AppRouter = typeof appRouter;
