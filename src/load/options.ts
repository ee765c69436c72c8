import { parseArgs } from "node:util";

export type LoadOptions = {
  url: string;
  /** Checks and signups per second, started at a fixed rate, independent of the answers. */
  rate: number;
  signups: number;
  seconds: number;
  /** Ratio of the checks that ask for a name this run has taken itself. */
  taken: number;
  /** Distinct X-Forwarded-For addresses; 0 sends no such header. */
  clients: number;
  json: boolean;
  /** Compare each answer with the database. */
  judge: boolean;
};

export const USAGE = `npm run load -- gate [options]
  --url URL          where the server listens (http://localhost:3000)
  --rate N           checks per second (200, at most 20000)
  --signups N        signups per second (5, at most 1000)
  --seconds N        how long (60)
  --taken SHARE      ratio of the checks that ask for a taken name (0.2)
  --clients N        pose as N clients by X-Forwarded-For; the server has to trust one proxy hop
  --judge            compare each answer with the database (DATABASE_URL, or that of \`npm start\`)
  --allow-remote     the server is on another machine, and its owner agrees
  --json             one line for programs at the end`;

/** @throws Error with what is wrong in words */
export function readLoadOptions(args: string[]): LoadOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      url: { type: "string", default: "http://localhost:3000" },
      rate: { type: "string", default: "200" },
      signups: { type: "string", default: "5" },
      seconds: { type: "string", default: "60" },
      taken: { type: "string", default: "0.2" },
      clients: { type: "string", default: "0" },
      "allow-remote": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      judge: { type: "boolean", default: false },
    },
  });
  if (positionals.length !== 1 || positionals[0] !== "gate") {
    throw new Error(`There is one load: "gate", not "${positionals.join(" ")}".`);
  }
  const url = URL.canParse(values.url) ? new URL(values.url) : null;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Error(`--url ${values.url} is not an http address.`);
  }
  if (!values["allow-remote"] && !isLoopback(url.hostname)) {
    throw new Error(
      `${url.hostname} is not this machine. Load on somebody else's server needs their leave and --allow-remote.`,
    );
  }
  return {
    url: url.origin,
    rate: number("rate", values.rate, { min: 0, max: 20_000 }),
    signups: number("signups", values.signups, { min: 0, max: 1_000 }),
    seconds: number("seconds", values.seconds, { min: 1, max: 86_400 }),
    taken: number("taken", values.taken, { min: 0, max: 1 }),
    clients: number("clients", values.clients, { min: 0, max: 100_000 }),
    json: values.json,
    judge: values.judge,
  };
}

function number(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max) return value;
  throw new Error(`--${name} ${text} is not a number from ${min} to ${max}.`);
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
