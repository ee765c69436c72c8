import type { TRPCClient } from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../api/router";
import type { Action, Role } from "../../domain/access/permissions";

/** The console's names for the inputs and outputs of the API, inferred from the router. */
export type ConsoleClient = TRPCClient<AppRouter>;
type Output = inferRouterOutputs<AppRouter>;
type Input = inferRouterInputs<AppRouter>;

export { ROLES } from "../../domain/access/permissions";
export type { Action, Role };

export type Me = Output["session"]["me"];
export type Verdict = { allowed: boolean; reason?: string };

export type Health = Output["gate"]["health"];
export type Problem = Health["problems"][number];
export type OutboxStatus = Output["outbox"]["status"];
/** One message of the live stream. */
export type Topic = NonNullable<Extract<Input["gate"]["live"], object>["watch"]>;
export type Live = {
  health: Health;
  outbox?: OutboxStatus | null;
  events?: readonly Change[];
  resync?: boolean;
  /** The data that the page watches; null when it could not be read. */
  answer?: { of: Topic["of"]; data: unknown } | null;
};
/** A recent change, or attempt at one. */
export type Change = { id: string; action: string };

export type DeadLetter = Output["outbox"]["deadLetters"]["rows"][number];

export type SeriesId = Input["telemetry"]["series"]["series"][number];
export type SeriesData = Omit<Output["telemetry"]["series"], "values"> & {
  values: Partial<Record<SeriesId, (number | null)[]>>;
};
export type Annotation = Output["telemetry"]["annotations"][number];

export type Trace = Output["name"]["trace"];
export type OrderTrace = Output["orders"]["trace"];
export type TracedUser = NonNullable<Trace["database"]["byKey"]>;

export type UserRow = Output["user"]["list"]["rows"][number];
export type UserFilter = Input["user"]["list"];

export type ReservedRow = Output["reserved"]["list"]["rows"][number];
export type ReservedKind = Input["reserved"]["add"]["kind"];

export type AuditRow = Output["audit"]["list"]["rows"][number];
export type AuditQuery = Input["audit"]["csv"];
export type Outcome = "ok" | "refused" | "failed";

export type FilterStatus = Output["filter"]["status"];
export type VersionStatus = FilterStatus["versions"][number];
export type MapCell = Output["filter"]["map"][number];
export type RebuildPlan = Output["filter"]["plan"];
export type RebuildRequest = Input["filter"]["plan"];

export type SwitchRow = Output["switch"]["list"][number];
export type TokenRow = Output["token"]["list"]["rows"][number];

export type LiveHandlers = {
  onData(event: { id: string; data: Live }): void;
  onError(error: unknown): void;
};

export type SymbolPage = Output["symbol"]["page"];
export type SymbolPageInput = Input["symbol"]["page"];
export type SymbolRow = SymbolPage["rows"][number];
export type SymbolState = SymbolRow["state"];
export type SymbolPreview = Output["symbol"]["preview"];
export type AddSymbolInput = Input["symbol"]["add"];
export type Suggestion = NonNullable<SymbolRow["suggestion"]>;
export type AutomaticInput = Input["symbol"]["setAutomatic"];
export type SplitInput = Input["symbol"]["split"];
export type OrderStatus = Output["orders"]["status"];
export type EngineRow = Output["engine"]["list"]["rows"][number];
export type EngineDetails = Output["engine"]["get"];
export type OrderDeadLetter = Output["orders"]["deadLetters"]["rows"][number];
export type ShardList = Output["shards"]["list"];
export type ShardPreview = Output["shards"]["preview"];
export type ShardChangeInput = Input["shards"]["preview"];
export type ShardSeries = Output["orders"]["shardSeries"];

export type LabStatus = Output["lab"]["status"];
export type LabRunView = LabStatus["runs"][number];
export type LabRunInput = Input["lab"]["run"];
