import { createServer } from "node:net";

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  return await bind(0, "127.0.0.1");
}

/** Whether a server's own words say that its port is in use. */
export function isPortTaken(error: unknown): boolean {
  return /address already in use|failed listening on port/i.test((error as Error).message);
}

/** Calls `start` with a free port; tries another port when a process has taken it since. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let triesLeft = 3; ; triesLeft -= 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (triesLeft === 1 || !isPortTaken(error)) throw error;
    }
  }
}

/** Throws an error with advice when no server could listen on the port. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  try {
    await bind(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const other = `start with PORT=${port < 1024 || port > 65_534 ? 3000 : port + 1} npm start`;
    if (code === "EADDRINUSE")
      throw new Error(`Port ${port} is in use. Stop the process that uses it, or ${other}`);
    if (code === "EACCES") throw new Error(`This user may not listen on port ${port}; ${other}`);
    throw new Error(`Cannot listen on HOST=${host}, PORT=${port}: ${message}`);
  }
}

/** Listens for a moment; resolves to the port. Rejects with the system's error. */
export function bind(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}
