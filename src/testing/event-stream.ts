import { crc32 } from "node:zlib";

/**
 * One message of application/vnd.amazon.eventstream, big-endian:
 *
 *   total length u32 | headers length u32 | CRC of both | headers | payload | CRC of everything before
 *
 * A header is: length u8, name | 7 (a string) | length u16, value.
 */
export function encodeEvent(headers: Record<string, string>, payload: object): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = Buffer.from(value);
      const size = Buffer.alloc(3);
      size[0] = 7;
      size.writeUInt16BE(text.length, 1);
      return [Buffer.from([name.length]), Buffer.from(name), size, text];
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const total = 16 + head.length + body.length;
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(message));
  return Buffer.concat([message, check]);
}
