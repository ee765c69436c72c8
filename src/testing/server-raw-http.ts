import { type Agent, request } from "node:http";

export type RawRequest = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  agent?: Agent;
  /** The address to connect from, such as 127.0.0.2. */
  localAddress?: string;
};

export type RawAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body parsed; undefined when it isn't JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
};

/** One HTTP request, byte for byte as given: no client library adds or hides anything. */
export function rawRequest(url: string, options: RawRequest = {}): Promise<RawAnswer> {
  const { method = "GET", headers = {}, body, agent, localAddress } = options;
  return new Promise((resolve, reject) => {
    const req = request(url, { method, headers, agent: agent ?? false, localAddress }, res => {
      const chunks: Buffer[] = [];
      res.on("data", chunk => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: res.statusCode!, headers: res.headers, text, json: parse(text) });
      });
    });
    req.on("error", reject);
    req.end(body);
  });
}

/** A mutation as tRPC's clients send it. */
export function postJson(url: string, input: unknown, headers: Record<string, string> = {}) {
  const body = JSON.stringify(input);
  return rawRequest(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
