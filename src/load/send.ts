import { Agent, type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";

export type Answer = { status: number; data: unknown; retryAfterMs?: number };
export type Call = {
  procedure: string;
  input: object;
  mutation?: boolean;
  client?: string;
  authorization?: string;
};

const TIMEOUT_MS = 10_000;

/** A tRPC client over a bounded set of kept-alive connections. */
export function createSender(origin: string, connections = 128) {
  const isSecure = origin.startsWith("https:");
  const settings = { keepAlive: true, maxSockets: connections };
  const agent = isSecure ? new SecureAgent(settings) : new Agent(settings);
  const request = isSecure ? httpsRequest : httpRequest;

  const send = ({ procedure, input, mutation = false, client, authorization }: Call) =>
    new Promise<Answer>((resolve, reject) => {
      const json = JSON.stringify(input);
      const path = `${origin}/api/trpc/${procedure}`;
      const sent: ClientRequest = request(
        mutation ? path : `${path}?input=${encodeURIComponent(json)}`,
        {
          agent,
          method: mutation ? "POST" : "GET",
          timeout: TIMEOUT_MS,
          headers: {
            ...(mutation ? { "content-type": "application/json" } : {}),
            ...(authorization ? { authorization } : {}),
            ...(client ? { "x-forwarded-for": client } : {}),
          },
        },
        res => {
          let body = "";
          res.setEncoding("utf8");
          res.on("data", chunk => {
            body += chunk;
          });
          res.on("error", reject);
          res.on("end", () => resolve(readAnswer(res.statusCode ?? 0, body)));
        },
      );
      sent.on("timeout", () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
      sent.on("error", reject);
      sent.end(mutation ? json : undefined);
    });
  return { send, close: () => agent.destroy() };
}

function readAnswer(status: number, body: string): Answer {
  try {
    const { result, error } = JSON.parse(body);
    return { status, data: result?.data, retryAfterMs: error?.data?.details?.retryAfterMs };
  } catch {
    return { status, data: undefined };
  }
}
