import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http";
import type { Logger } from "pino";
import { BUILD_HEADER } from "../api/build-header";
import { serveCheckFastPath } from "../api/check-fast-path";
import { createContext, type RateLimits, type Services } from "../api/context";
import { appRouter } from "../api/router";
import type { Health } from "../runtime/health";
import { clientAddress } from "./client-address";
import type { Drain } from "./drain";
import { AUTH_PREFIX, type AuthMount, serveAuth } from "./mount-auth";
import { ASSETS_PREFIX, type PageAssets, type PageBuild } from "./page-assets";
import { refusedTarget } from "./request-target";
import { isSameOrigin } from "./same-origin";

const API_PREFIX = "/api/trpc/";
const MAX_BATCH = 10;
const HSTS = "max-age=31536000";
/** Several times the size of a full batch of signups. */
const MAX_BODY_BYTES = 64 * 1024;

export type HttpServerOptions = {
  services: Services;
  limits: RateLimits;
  log: Logger;
  trustedProxyHops: number;
  publicUrl: string;
  signIn: AuthMount["auth"];
  readiness: () => Promise<Health>;
  drain: Pick<Drain, "closesConnections">;
  /** Of the pages; null in development. */
  build: PageBuild | null;
  assets: PageAssets | null;
  /** Serves all other paths: Next.js. */
  pages: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
};

/** One Node server: health, the API, and pages by Next.js. */
export function createHttpServer(options: HttpServerOptions): Server {
  const isSecure = new URL(options.publicUrl).protocol === "https:";
  const server = createServer(
    { requestTimeout: 15_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
    (req, res) => {
      if (options.drain.closesConnections) res.shouldKeepAlive = false;
      if (isSecure) res.setHeader("strict-transport-security", HSTS);
      route(options, req, res).catch((err: unknown) => {
        options.log.error({ err }, "request failed");
        if (!res.headersSent) res.writeHead(500, { "content-type": "text/plain" });
        res.end("Internal error");
      });
    },
  );
  server.maxRequestsPerSocket = 0;
  return server;
}

async function route(options: HttpServerOptions, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = req.url ?? "/";
  if (url.startsWith(API_PREFIX)) return serveApi(options, req, res);
  if (url.startsWith(`${AUTH_PREFIX}/`)) {
    const { signIn: auth, publicUrl, log, services } = options;
    const mount: AuthMount = { auth, publicUrl, log, noteDatabaseTrouble: services.noteDatabaseTrouble };
    return serveAuth(
      mount,
      { req, res },
      { requestId: randomUUID(), clientAddress: addressOf(options, req) },
    );
  }
  const refused = refusedTarget(req.method, url);
  if (refused !== null) return refuse(res, refused);
  if (url === "/healthz" || url === "/readyz") {
    const health = await options.readiness();
    res.writeHead(url === "/readyz" && health.status === "down" ? 503 : 200, {
      "content-type": "application/json",
    });
    res.end(JSON.stringify(health));
    return;
  }
  if (url.startsWith(ASSETS_PREFIX) && (await serveAsset(options, url, res))) return;
  // A script of the page reads it, and compares it with the build that answers its calls.
  if (options.build) res.setHeader("server-timing", `build;desc="${options.build.id}"`);
  await options.pages(req, res);
}

function refuse(res: ServerResponse, status: 404 | 405): void {
  if (status === 405) res.setHeader("allow", "GET, HEAD, POST");
  res.writeHead(status, { "content-type": "text/plain" });
  res.end(status === 405 ? "Method not allowed" : "Not found");
}

/** @returns false for assets of this build, which the pages serve, and for unknown ones */
async function serveAsset(
  { assets, log }: HttpServerOptions,
  url: string,
  res: ServerResponse,
): Promise<boolean> {
  const asset = await assets?.find(url.split("?", 1)[0]!).catch((err: unknown) => {
    log.warn({ err }, "asset of another build not read");
    return null;
  });
  if (!asset) return false;
  res.writeHead(200, {
    "content-type": asset.type,
    "content-length": asset.body.length,
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  });
  res.end(asset.body);
  return true;
}

async function serveApi(
  options: HttpServerOptions,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const requestId = randomUUID();
  const makeContext = () => contextOf(options, { req, res, requestId });
  if (serveCheckFastPath(req, res, makeContext)) return;
  res.setHeader("x-request-id", requestId);
  res.setHeader(BUILD_HEADER, options.services.build);
  res.setHeader("cache-control", "no-store");
  res.setHeader("x-content-type-options", "nosniff");
  if (req.method !== "GET" && !isSameOrigin(req, options.publicUrl)) {
    return refuseCall(res, {
      status: 403,
      code: "FORBIDDEN",
      message: "This request comes from another site.",
      requestId,
    });
  }
  // Its headers are sent before the calls run, and a sign-up sets a cookie.
  if (req.method !== "GET" && asksForStream(req)) {
    const message = "Changes are answered as application/json: use httpBatchLink or httpLink.";
    return refuseCall(res, { status: 406, code: "NOT_ACCEPTABLE", message, requestId });
  }
  const path = req.url!.slice(API_PREFIX.length).split("?", 1)[0]!;
  await nodeHTTPRequestHandler({
    router: appRouter,
    req,
    res,
    path,
    createContext: async () => makeContext(),
    maxBatchSize: MAX_BATCH,
    maxBodySize: MAX_BODY_BYTES,
  });
}

const asksForStream = ({ headers }: IncomingMessage) =>
  /jsonl/i.test(`${headers["trpc-accept"]} ${headers.accept}`);

type CallRefusal = { status: number; code: string; message: string; requestId: string };

/** In the shape of tRPC's errors. */
function refuseCall(res: ServerResponse, { status, code, message, requestId }: CallRefusal): void {
  const data = { code, httpStatus: status, requestId, details: {} };
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify({ error: { message, code: -32003, data } }));
}

type Exchange = { req: IncomingMessage; res: ServerResponse; requestId: string };

function contextOf(options: HttpServerOptions, { req, res, requestId }: Exchange) {
  return createContext({
    requestId,
    head: {
      cookie: req.headers.cookie ?? "",
      authorization: req.headers.authorization ?? "",
      requestId,
      userAgent: req.headers["user-agent"] ?? "",
      clientAddress: addressOf(options, req),
      idempotencyKey: String(req.headers["idempotency-key"] ?? ""),
    },
    services: options.services,
    limits: options.limits,
    log: options.log,
    setCookies(cookies) {
      // A streamed answer has sent its headers; the renewed cookie comes with the next one.
      if (res.headersSent) return;
      for (const cookie of cookies) res.appendHeader("set-cookie", cookie);
    },
  });
}

function addressOf({ trustedProxyHops }: HttpServerOptions, req: IncomingMessage): string {
  return clientAddress(req.socket.remoteAddress, req.headers, trustedProxyHops);
}
