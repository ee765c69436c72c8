import { accountRouter } from "./account-router";
import { router } from "./trpc";
import { usernameRouter } from "./username-router";

export const appRouter = router({ username: usernameRouter, account: accountRouter });

export type AppRouter = typeof appRouter;
