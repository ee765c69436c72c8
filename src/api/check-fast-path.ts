import type { IncomingMessage, ServerResponse } from "node:http";
import { getTRPCErrorFromUnknown, TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { getErrorShape } from "@trpc/server/unstable-core-do-not-import";
import { BUILD_HEADER } from "./build-header";
import type { Context } from "./context";
import { guard } from "./guard";
import { appRouter } from "./router";
import { CHECK_LIMIT, checkInput } from "./username-router";

const PATH = "username.check";
const PREFIX = `/api/trpc/${PATH}?`;
/** What tRPC's links send. A plus sign would be a space in one decoding and a plus in the other. */
const STOCK_QUERY = /^(batch=1&)?input=([^&+]+)$/;

export type MakeContext = (req: IncomingMessage, res: ServerResponse) => Context;

/**
 * Answers `username.check` without tRPC's layers, which cost more than the check itself. Guard, input
 * schema, error formatter and wire format are the procedure's: a test compares both over many inputs.
 * @returns false if the request is anything but one plain GET of username.check: tRPC serves those
 */
export function serveCheckFastPath(
  req: IncomingMessage,
  res: ServerResponse,
  makeContext: MakeContext,
): boolean {
  const url = req.url!;
  if (req.method !== "GET" || !url.startsWith(PREFIX)) return false;
  const { headers } = req;
  if (headers["trpc-accept"] !== undefined || headers.accept?.includes("jsonl")) return false;
  if (headers["content-type"] !== undefined) return false;
  const query = STOCK_QUERY.exec(url.slice(PREFIX.length));
  if (!query) return false;
  const isBatch = query[1] !== undefined;
  const input = readInput(query[2]!, isBatch);
  if (input === MALFORMED) return false;
  void answer(res, { input, isBatch, ctx: makeContext(req, res) });
  return true;
}

const MALFORMED = Symbol("malformed");

/** The call's input, or MALFORMED: then tRPC answers with the error. */
function readInput(encoded: string, isBatch: boolean): unknown {
  try {
    const parsed: unknown = JSON.parse(decodeURIComponent(encoded));
    if (!isBatch) return parsed;
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)["0"]
      : MALFORMED;
  } catch {
    return MALFORMED;
  }
}

async function answer(
  res: ServerResponse,
  call: { input: unknown; isBatch: boolean; ctx: Context },
): Promise<void> {
  const { input, isBatch, ctx } = call;
  let status = 200;
  let body: string;
  try {
    const data = await guard(ctx, { path: PATH, limit: CHECK_LIMIT }, () =>
      ctx.services.checkUsername(readCheckInput(input)),
    );
    body = JSON.stringify({ result: { data } });
  } catch (cause) {
    const error = getTRPCErrorFromUnknown(cause);
    const config = appRouter._def._config;
    status = getHTTPStatusCodeFromError(error);
    body = JSON.stringify({ error: getErrorShape({ config, error, type: "query", path: PATH, input, ctx }) });
  }
  if (res.destroyed) return;
  if (isBatch) body = `[${body}]`;
  // The length is known: Node sends headers and body in one write.
  res.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    vary: "trpc-accept, accept",
    "cache-control": "no-store",
    "x-request-id": ctx.requestId,
    [BUILD_HEADER]: ctx.services.build,
  });
  res.end(body);
}

function readCheckInput(input: unknown): string {
  const parsed = checkInput.safeParse(input);
  if (parsed.success) return parsed.data.username;
  throw new TRPCError({ code: "BAD_REQUEST", cause: parsed.error });
}
