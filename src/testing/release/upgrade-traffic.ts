import { setTimeout as sleep } from "node:timers/promises";
import { MARKET_MAKER } from "../order-fixture";
import { newPerson, nextAddress } from "../server-gate";
import { postJson, type RawAnswer, rawRequest } from "../server-raw-http";

export const SYMBOL = "DOGE";
const BUYERS = ["mia", "noa", "kim"];
/** A name's event is delivered, and read by every server, in this time. */
export const KNOWN_AFTER_MS = 4_000;
/** The skeleton of every third name is not its key. */
const nameOf = (n: number) =>
  `${n % 3 === 0 ? "0" : "o"}x${n.toString(2).replaceAll("0", "a").replaceAll("1", "b")}`;

/** People and programs that use whatever servers there are, and what they were told. */
export class UpgradeTraffic {
  /** The servers that a balancer would choose from. */
  urls: string[] = [];
  readonly signedUp = new Map<string, number>();
  /** The ids of the orders that were answered durable, by account, in their order. */
  readonly durable = new Map<string, string[]>(BUYERS.map(account => [account, []]));
  readonly wrong: string[] = [];
  checks = 0;
  private readonly inFlight = new Map<string, number>();
  private turn = 0;
  private isOver = false;
  private loops: Promise<void>[] = [];

  constructor(private readonly token: string) {}

  async start(): Promise<void> {
    const offer = { kind: "limit", symbol: SYMBOL, accountId: MARKET_MAKER, orderId: "offer", side: "sell" };
    const answer = await this.submit({ ...offer, price: "1", quantity: "1000000" });
    if (!answer.json?.result?.data.durable) throw new Error(`The offer was not accepted: ${answer.text}`);
    this.loops = [this.signUps(), this.checksOfTaken(), this.checksOfFree()].concat(
      BUYERS.map(account => this.orders(account)),
    );
  }

  /** Takes a server out of the balancer, and waits for what it is answering. */
  async drain(url: string): Promise<void> {
    this.urls = this.urls.filter(other => other !== url);
    while ((this.inFlight.get(url) ?? 0) > 0) await sleep(10);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
  }

  /** What a check of this name says, asked of any server or of this one. */
  async check(username: string, url?: string): Promise<string> {
    const input = encodeURIComponent(JSON.stringify({ username }));
    const headers = { "x-forwarded-for": nextAddress() };
    const ask = (at: string) => rawRequest(`${at}/api/trpc/username.check?input=${input}`, { headers });
    const answer = await (url === undefined ? this.send(ask) : ask(url));
    this.checks += 1;
    return answer.status === 200 ? answer.json.result.data.status : answer.text;
  }

  private async send(ask: (url: string) => Promise<RawAnswer>): Promise<RawAnswer> {
    const url = this.urls[this.turn++ % this.urls.length]!;
    this.inFlight.set(url, (this.inFlight.get(url) ?? 0) + 1);
    try {
      return await ask(url);
    } finally {
      this.inFlight.set(url, this.inFlight.get(url)! - 1);
    }
  }

  private async signUps(): Promise<void> {
    for (let n = 1; !this.isOver; n += 1) {
      const person = newPerson(nameOf(n));
      const headers = { "x-forwarded-for": nextAddress() };
      const answer = await this.send(url => postJson(`${url}/api/trpc/account.signUp`, person, headers));
      if (answer.status === 200) this.signedUp.set(person.username, Date.now());
      else this.wrong.push(`sign-up of ${person.username}: ${answer.text}`);
      await sleep(30);
    }
  }

  private async checksOfTaken(): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const known = [...this.signedUp].filter(([, atMs]) => Date.now() - atMs > KNOWN_AFTER_MS);
      const name = known[(n * 7) % Math.max(1, known.length)]?.[0];
      if (name) {
        const said = await this.check(name);
        if (said !== "taken") this.wrong.push(`check of ${name}, which is taken: ${said}`);
      }
      await sleep(5);
    }
  }

  private async checksOfFree(): Promise<void> {
    for (let n = 1; !this.isOver; n += 1) {
      const name = `free${nameOf(n)}`;
      const said = await this.check(name);
      if (said !== "available") this.wrong.push(`check of ${name}, which is free: ${said}`);
      await sleep(5);
    }
  }

  private submit(order: object): Promise<RawAnswer> {
    const headers = { authorization: `Bearer ${this.token}`, "x-forwarded-for": nextAddress() };
    return this.send(url => postJson(`${url}/api/trpc/orders.submit`, { orders: [order] }, headers));
  }

  /** One after the other, again until it is durable: so the account's order is known. */
  private async orders(accountId: string): Promise<void> {
    const ids = this.durable.get(accountId)!;
    while (!this.isOver) {
      const orderId = `${ids.length + 1}`;
      const order = {
        kind: "limit",
        symbol: SYMBOL,
        accountId,
        orderId,
        side: "buy",
        price: "1",
        quantity: "1",
      };
      const answer = await this.submit(order);
      if (answer.status === 200 && answer.json.result.data.durable) ids.push(orderId);
      else if (answer.status !== 200 && answer.json.error.data.code !== "BUSY")
        this.wrong.push(`order ${accountId} ${orderId}: ${answer.text}`);
      await sleep(5);
    }
  }
}
