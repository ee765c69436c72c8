import type { Logger } from "pino";
import type { Availability } from "../domain/username/availability";
import type { ConcurrencyLimiter } from "../runtime/concurrency-limiter";
import type { Health } from "../runtime/health";
import { type Actor, carriesToken, readTokenActor } from "../services/access/read-actor";
import type { RequestHead, SignedInUser } from "../services/access/sessions";
import type { RefusalLog } from "../services/audit/record-refusal";
import type { FilterServices } from "../services/filter/filter-services";
import type { LabServices } from "../services/lab/lab-services";
import type { OrderServices } from "../services/orders/order-services";
import type { GateServices } from "../services/outbox/gate-services";
import type { PrismaClient } from "../store/postgres";
import type { SeriesAnswer, SeriesQuery } from "../telemetry/read-series";

/** As `GET /healthz` says it; made by the server. */
export type GateHealth = Health & {
  alerts: { code: string; text: string; href: string }[];
  filter: {
    version: number | null;
    engine: string | null;
    /** Ratio of free names that the active version is made to answer "maybe" for. */
    errorRate: number | null;
    pointerAgeMs: number | null;
    openBreakers: number;
    fullShards: number;
  };
};

/** What the procedures call, and what they hand to the services they call. */
export type Services = {
  checkUsername(username: string): Promise<Availability>;
  signUp(input: {
    username: string;
    email: string;
    password: string;
  }): Promise<{ userId: string; username: string }>;
  openSession(userId: string, head: RequestHead): Promise<string[]>;
  readSession(head: RequestHead): Promise<{ user: SignedInUser; cookies: string[] } | null>;
  closeSession(head: RequestHead): Promise<string[]>;
  prisma: PrismaClient;
  refusals: RefusalLog;
  gate: GateServices;
  filter: FilterServices;
  orders: OrderServices;
  lab: LabServices;
  health(): Promise<GateHealth>;
  /** Live streams that one person or token may have open. */
  liveStreams: ConcurrencyLimiter;
  /** What this installation is called, such as "production"; shown on every page of the console. */
  environment: string;
  /** The name of the OpenID Connect provider that people can sign in with right now. */
  singleSignOn(): string | null;
  readSeries(query: SeriesQuery): Promise<SeriesAnswer>;
};

/** Charges one call; resolves to how long to wait when the quota is used up, else 0. */
export type RateLimit = (clientAddress: string) => Promise<number>;
export type RateLimits = { check: RateLimit; signUp: RateLimit; session: RateLimit };

export type ContextInput = {
  requestId: string;
  head: RequestHead;
  services: Services;
  limits: RateLimits;
  log: Logger;
  /** Appends Set-Cookie headers to the response. */
  setCookies(cookies: string[]): void;
};

/** Made once per HTTP request and shared by every call of a batch. */
export type Context = ContextInput & {
  /** The signed-in user, read at most once per request. */
  user(): Promise<SignedInUser | null>;
  /** Who calls, read at most once per request: whoever sends a token is that token or nobody. */
  actor(): Promise<Actor | null>;
};

export function createContext(input: ContextInput): Context {
  const { requestId, head, services, limits, log, setCookies } = input;
  let user: Promise<SignedInUser | null> | undefined;
  let actor: Promise<Actor | null> | undefined;
  // Field by field: this runs for every check, and a spread costs more than all the rest.
  const context: Context = {
    requestId,
    head,
    services,
    limits,
    log,
    setCookies,
    user() {
      user ??= services.readSession(head).then(session => {
        if (session) setCookies(session.cookies);
        return session?.user ?? null;
      });
      return user;
    },
    actor() {
      actor ??= carriesToken(head.authorization)
        ? readTokenActor(services.prisma, head.authorization)
        : context.user().then(person => person && toActor(person));
      return actor;
    },
  };
  return context;
}

function toActor({ id, username, role }: SignedInUser): Actor {
  return { kind: "user", id, name: username, role };
}
