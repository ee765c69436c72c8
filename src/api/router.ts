import { accountRouter } from "./account-router";
import { auditRouter } from "./audit-router";
import { engineRouter } from "./engine-router";
import { filterRouter } from "./filter-router";
import { gateRouter } from "./gate-router";
import { labRouter } from "./lab-router";
import { nameRouter } from "./name-router";
import { ordersRouter } from "./orders-router";
import { outboxRouter } from "./outbox-router";
import { reservedRouter } from "./reserved-router";
import { sessionRouter } from "./session-router";
import { shardsRouter } from "./shards-router";
import { switchRouter } from "./switch-router";
import { symbolRouter } from "./symbol-router";
import { telemetryRouter } from "./telemetry-router";
import { tokenRouter } from "./token-router";
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
  gate: gateRouter,
  filter: filterRouter,
  outbox: outboxRouter,
  name: nameRouter,
  orders: ordersRouter,
  symbol: symbolRouter,
  shards: shardsRouter,
  engine: engineRouter,
  lab: labRouter,
});

export type AppRouter = typeof appRouter;
