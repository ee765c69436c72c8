import { type ConnectOpts, Socket, type SocketConstructorOpts } from "node:net";

/** Bytes of one read at most. */
const BUFFER_BYTES = 64 * 1024;

/** While `lends` is true, a chunk is valid until its listener returns: the next read overwrites it. */
export type LendingSocket = Socket & { lends: boolean };

/**
 * A socket that reads into one reused buffer. A plain socket allocates a buffer for every read: in a
 * long COPY this costs a third of a reader's time and tens of megabytes.
 */
export function lendingSocket(): LendingSocket {
  // net.connect passes this option to the constructor, whose type omits it.
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

/** Has no effect on another kind of socket, such as TLS, whose chunks stay valid. */
export function setLending(socket: Socket, lends: boolean): void {
  if ("lends" in socket) socket.lends = lends;
}
