import type { Logger } from "pino";
import type { Availability } from "../domain/availability";
import type { SignedInUser } from "../services/sessions";

/** What the procedures can do: services with their dependencies already in hand. */
export type Services = {
  checkUsername(username: string): Promise<Availability>;
  signUp(input: {
    username: string;
    email: string;
    password: string;
  }): Promise<{ userId: string; username: string }>;
  openSession(userId: string, head: RequestHead): Promise<string[]>;
  readSession(head: RequestHead): Promise<{ user: SignedInUser; cookies: string[] } | null>;
  closeSession(head: RequestHead): Promise<string[]>;
};

export type RequestHead = { cookie: string; userAgent: string; clientAddress: string };

/** Charges one call; resolves to how long to wait when the quota is used up, else 0. */
export type RateLimit = (clientAddress: string) => Promise<number>;
export type RateLimits = { check: RateLimit; signUp: RateLimit };

/** Made once per HTTP request and shared by every call of a batch. */
export type Context = {
  requestId: string;
  head: RequestHead;
  services: Services;
  limits: RateLimits;
  log: Logger;
  /** Appends a Set-Cookie header to the response. */
  setCookies(cookies: string[]): void;
  /** The signed-in user, read at most once per request. */
  user(): Promise<SignedInUser | null>;
};

export type ContextInput = Pick<Context, "requestId" | "head" | "services" | "limits" | "log" | "setCookies">;

export function createContext(input: ContextInput): Context {
  let user: Promise<SignedInUser | null> | undefined;
  return {
    ...input,
    user() {
      user ??= input.services.readSession(input.head).then(session => {
        if (session) input.setCookies(session.cookies);
        return session?.user ?? null;
      });
      return user;
    },
  };
}
