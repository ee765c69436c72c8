/** SQL as it goes over the wire to Postgres: complete for every client library. */
export class WireLog {
  /** Statements in the order in which they were executed. */
  readonly statements: string[] = [];
  private readonly sessions = new Map<number, Session>();

  /** Takes a chunk that a client has sent; for TcpProxy's `onClientData`. */
  readonly take = (connection: number, chunk: Buffer): void => {
    let session = this.sessions.get(connection);
    if (!session) {
      session = { pending: Buffer.alloc(0), isStarted: false, prepared: new Map() };
      this.sessions.set(connection, session);
    }
    session.pending = Buffer.concat([session.pending, chunk]);
    this.parse(session);
  };

  clear(): void {
    this.statements.length = 0;
  }

  /** https://www.postgresql.org/docs/current/protocol-message-formats.html */
  private parse(session: Session): void {
    for (;;) {
      // The first message of a connection has no type byte.
      const head = session.isStarted ? 1 : 0;
      if (session.pending.length < head + 4) return;
      const end = head + session.pending.readInt32BE(head);
      if (session.pending.length < end) return;
      const type = session.isStarted ? String.fromCharCode(session.pending[0]!) : "startup";
      const fields = session.pending.toString("utf8", head + 4, end).split("\0");
      session.pending = session.pending.subarray(end);
      session.isStarted = true;
      if (type === "Q") this.statements.push(fields[0]!);
      if (type === "P") session.prepared.set(fields[0]!, fields[1]!);
      if (type === "B") this.statements.push(session.prepared.get(fields[1]!) ?? `unknown: ${fields[1]}`);
    }
  }
}

type Session = { pending: Buffer; isStarted: boolean; prepared: Map<string, string> };
