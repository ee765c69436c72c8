import type { Logger } from "pino";
import type { Alert } from "../domain/alert";
import type { Availability } from "../domain/username/availability";
import type { ConcurrencyLimiter } from "../runtime/concurrency-limiter";
import type { Health } from "../runtime/health";
import { type Actor, carriesToken } from "../services/access/read-actor";
import type { RequestHead, SignedInUser } from "../services/access/sessions";
import type { RefusalLog } from "../services/audit/record-refusal";
import type { FilterServices } from "../services/filter/filter-services";
import type { LabServices } from "../services/lab/lab-services";
import type { OrderServices } from "../services/orders/order-services";
import type { GateServices } from "../services/outbox/gate-services";
import type { ShardServices } from "../services/shards/shard-services";
import type { SignedUp, SignUpInput } from "../services/username/earlier-sign-up";
import type { PrismaClient } from "../store/postgres";
import type { SeriesAnswer, SeriesQuery } from "../telemetry/read-series";

/** The server's health as `GET /healthz` answers it, with the alerts of the console. */
export type GateHealth = Health & {
  alerts: Alert[];
  filter: {
    version: number | null;
    engine: string | null;
    /** The false-positive rate that the active version was built for. */
    errorRate: number | null;
    pointerAgeMs: number | null;
    openBreakers: number;
    fullShards: number;
  };
};

/** The services that procedures call, and the clients that they pass to services. */
export type Services = {
  checkUsername(username: string): Promise<Availability>;
  signUp(input: SignUpInput): Promise<SignedUp>;
  openSession(userId: string, head: RequestHead): Promise<string[]>;
  readSession(head: RequestHead): Promise<{ user: SignedInUser; cookies: string[] } | null>;
  closeSession(head: RequestHead): Promise<string[]>;
  /** The caller of a token; null for one that is not valid. @throws AppError RATE_LIMITED */
  readToken(authorization: string, clientAddress: string): Promise<Actor | null>;
  prisma: PrismaClient;
  refusals: RefusalLog;
  gate: GateServices;
  filter: FilterServices;
  orders: OrderServices;
  shards: ShardServices;
  lab: LabServices;
  health(): Promise<GateHealth>;
  /** A request got BUSY because of this error of the database; health tells it. */
  noteDatabaseTrouble(error: unknown): void;
  /** Limits the live streams of one user or token. */
  liveStreams: ConcurrencyLimiter;
  /** Aborts when streams have to end because the server stops. */
  streamsSignal: AbortSignal;
  /** The id of the pages' build; empty in development. */
  build: string;
  /** The name of this installation, such as "production"; shown on every console page. */
  environment: string;
  /** The name of the OpenID Connect provider; null while sign-in with it is off. */
  singleSignOn(): string | null;
  readSeries(query: SeriesQuery): Promise<SeriesAnswer>;
};

/** Charges one call; resolves to the milliseconds to wait when the quota is used up, else 0. */
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

/** Created once per HTTP request and shared by every call of a batch. */
export type Context = ContextInput & {
  /** The signed-in user, read at most once per request. */
  user(): Promise<SignedInUser | null>;
  /** The caller, read at most once per request. With a token in the request, cookies are ignored. */
  actor(): Promise<Actor | null>;
  /** The caller as of now, for answers that go on for long. */
  actorNow(): Promise<Actor | null>;
};

export function createContext(input: ContextInput): Context {
  const { requestId, head, services, limits, log, setCookies } = input;
  let user: Promise<SignedInUser | null> | undefined;
  let actor: Promise<Actor | null> | undefined;
  // Field by field: this runs for every check, and a spread costs more than the rest of the function.
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
        ? services.readToken(head.authorization, head.clientAddress)
        : context.user().then(person => person && toActor(person));
      return actor;
    },
    actorNow() {
      if (carriesToken(head.authorization)) return services.readToken(head.authorization, head.clientAddress);
      return services.readSession(head).then(session => session && toActor(session.user));
    },
  };
  return context;
}

function toActor({ id, username, role }: SignedInUser): Actor {
  return { kind: "user", id, name: username, role };
}
