/** One message of Postgres' wire protocol. */
export function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * What a server sends for COPY … TO STDOUT (FORMAT binary) of one text column: the header comes with the
 * first row, the end mark alone. https://www.postgresql.org/docs/current/sql-copy.html, Binary Format
 */
export function copyMessages(names: string[], { begin = true, end = true } = {}): Buffer {
  const header = Buffer.from("5047434f50590aff0d0a000000000000000000", "hex");
  const rows = names.map(name => {
    const bytes = Buffer.from(name);
    const head = Buffer.alloc(6);
    head.writeUInt16BE(1, 0);
    head.writeUInt32BE(bytes.length, 2);
    return Buffer.concat([head, bytes]);
  });
  if (end) rows.push(Buffer.from([0xff, 0xff]));
  if (begin) rows[0] = Buffer.concat([header, rows[0]!]);
  const messages = rows.map(row => message("d", row));
  if (begin) messages.unshift(message("H", Buffer.from([1, 0, 1, 0, 1])));
  return Buffer.concat(messages);
}
