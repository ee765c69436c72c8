import type { IncomingMessage } from "node:http";

/**
 * The body, counted as it comes in, since a length header may be missing. Null when it has more than `maxBytes`,
 * or when the client ends the connection before all of it was sent; the request can still be answered.
 */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}
