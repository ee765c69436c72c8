import { describe, expect, it } from "vitest";
import { OrderLogSetupError } from "../order-log-setup-error";
import { explained, faultOf, nameOf } from "./kinesis-fault";

const error = (name: string, message = "no") => Object.assign(new Error(message), { name });

describe("an error of Kinesis", () => {
  it.each([
    [
      "ResourceNotFoundException",
      /“trades”: no .*create the stream, or correct KINESIS_STREAM or AWS_REGION/,
    ],
    ["AccessDeniedException", /allow these credentials kinesis:ListShards, kinesis:PutRecords/],
    ["CredentialsProviderError", /give the process AWS credentials/],
    ["ExpiredTokenException", /renew the credentials/],
  ])("says what to do: %s", (name, advice) => {
    const fault = explained(error(name), "trades");
    expect(fault).toBeInstanceOf(OrderLogSetupError);
    expect((fault as Error).message).toMatch(advice);
  });

  it.each(["Region is missing", 'Region not accepted: region=""'])(
    "says that no region was set: %s",
    text => {
      expect(String(explained(new Error(text), "trades"))).toMatch("set AWS_REGION");
    },
  );

  it("stays as it is when the operator can do nothing about it", () => {
    const reset = error("ECONNRESET");
    expect(explained(reset, "trades")).toBe(reset);
  });

  it("is a throttle, a matter of the set-up, or unknown", () => {
    const names = [
      "ProvisionedThroughputExceededException",
      "KMSThrottlingException",
      "LimitExceededException",
    ];
    expect(names.map(faultOf)).toEqual(["throttled", "throttled", "throttled"]);
    expect(faultOf("AccessDeniedException")).toBe("setup");
    expect(["InternalFailure", nameOf(error("TimeoutError")), "toString"].map(faultOf)).toEqual([
      "unknown",
      "unknown",
      "unknown",
    ]);
  });
});
