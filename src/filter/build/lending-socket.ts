import { type ConnectOpts, Socket, type SocketConstructorOpts } from "node:net";

/** Bytes of one read at most. */
const BUFFER_BYTES = 64 * 1024;

/** While `lends` is true, a chunk is only valid until its listener returns: the next read overwrites it. */
export type LendingSocket = Socket & { lends: boolean };

/**
 * A socket that reads into one buffer over and over. A plain one makes a buffer of every read: over a
 * long COPY they cost a third of a reader's time and tens of megabytes.
 */
export function lendingSocket(): LendingSocket {
  // net.connect hands this option on to the constructor, whose type does not know it.
  const options: SocketConstructorOpts & ConnectOpts = {
    onread: {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      callback(bytes, buffer) {
        const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, bytes);
        socket.emit("data", socket.lends ? chunk : Buffer.from(chunk));
        return true;
      },
    },
  };
  const socket: LendingSocket = Object.assign(new Socket(options), { lends: false });
  return socket;
}

/** Does nothing to another kind of socket, such as TLS's, whose chunks are everybody's to keep. */
export function setLending(socket: Socket, lends: boolean): void {
  if ("lends" in socket) socket.lends = lends;
}
