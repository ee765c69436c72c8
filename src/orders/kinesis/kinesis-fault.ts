import { OrderLogSetupError } from "../order-log-setup-error";

/** Answers that mean "later": the call was not executed, and is correct. */
const THROTTLES: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "LimitExceededException",
  "KMSThrottlingException",
  "ThrottlingException",
  "TooManyRequestsException",
]);

/** Errors that need a change of the setup, and the advice for each. */
const SETUP: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ResourceNotFoundException: "create the stream, or correct KINESIS_STREAM or AWS_REGION",
    AccessDeniedException: `allow these credentials ${[
      "kinesis:ListShards, kinesis:PutRecords, kinesis:GetShardIterator and kinesis:GetRecords",
      "(KINESIS_READER=fanout: also DescribeStreamSummary, RegisterStreamConsumer, DescribeStreamConsumer",
      "and SubscribeToShard; to change the shards from the console: SplitShard and MergeShards)",
    ].join(" ")}`,
    KMSAccessDeniedException: "allow these credentials to use the stream's KMS key",
    KMSDisabledException: "enable the stream's KMS key",
    KMSInvalidStateException: "bring the stream's KMS key into a usable state",
    KMSNotFoundException: "restore the stream's KMS key, which does not exist any more",
    KMSOptInRequired: "subscribe the account to KMS, which encrypts the stream",
    UnrecognizedClientException: "use credentials of an account that exists",
    InvalidClientTokenId: "use credentials of an account that exists",
    InvalidSignatureException: "check the secret key and this machine's clock",
    IncompleteSignature: "use complete credentials",
    MissingAuthenticationTokenException: "give the process AWS credentials",
    ExpiredTokenException: "renew the credentials",
    CredentialsProviderError: "give the process AWS credentials (AWS_ACCESS_KEY_ID, a profile, or a role)",
  }),
);

export type KinesisFault =
  /** Not executed; try later. */
  | "throttled"
  /** No call will succeed before the setup is changed. */
  | "setup"
  /** Unknown outcome: no answer in time, or an error inside Kinesis. */
  | "unknown";

/** @param name of an error, or the error code of one entry of PutRecords */
export function faultOf(name: string): KinesisFault {
  if (THROTTLES.has(name)) return "throttled";
  return SETUP.has(name) ? "setup" : "unknown";
}

export function nameOf(error: unknown): string {
  const { name, message } = error as { name?: string; message?: string };
  // The SDK throws a plain Error when it finds no region.
  return /^Region (is missing|not accepted)/.test(message ?? "") ? "RegionMissing" : (name ?? "Error");
}

/** Adds advice to errors of the setup; other errors stay unchanged. */
export function explained(error: unknown, stream: string): unknown {
  const name = nameOf(error);
  if (name === "RegionMissing") return new OrderLogSetupError("Kinesis needs a region: set AWS_REGION.");
  const advice = SETUP.get(name);
  if (advice === undefined) return error;
  const { message } = error as Error;
  return new OrderLogSetupError(`The Kinesis stream “${stream}”: ${message} (${name}). Please ${advice}.`, {
    cause: error,
  });
}

/** As `explained`, for a change of the shards, which the account's quota of shards may refuse. */
export function explainedReshard(error: unknown, stream: string): unknown {
  if (nameOf(error) !== "LimitExceededException") return explained(error, stream);
  return new OrderLogSetupError(
    `The Kinesis stream “${stream}” refuses the change: ${(error as Error).message} Wait a minute, or have the account's quota of shards raised.`,
    { cause: error },
  );
}
