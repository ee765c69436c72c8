import { percentile } from "../../domain/percentile";

/** Microseconds since 1970, the same in all processes of this machine. */
export function nowUs(): number {
  return (performance.timeOrigin + performance.now()) * 1_000;
}

/** Calls `send` with a number of orders, at a steady rate or, at rate 0, as fast as it resolves. */
export async function pace(
  { orders, rate }: { orders: number; rate: number },
  batch: number,
  send: (from: number, count: number) => Promise<unknown>,
): Promise<void> {
  const startUs = nowUs();
  for (let sent = 0; sent < orders; ) {
    const due = rate === 0 ? orders : Math.floor(((nowUs() - startUs) / 1_000_000) * rate);
    const count = Math.min(batch, orders - sent, due - sent);
    if (count < Math.min(batch, orders - sent)) {
      await new Promise(resolve => setTimeout(resolve, 1));
      continue;
    }
    await send(sent, count);
    sent += count;
  }
}

export function percentiles(latenciesMs: Float64Array): { p50: number; p99: number } {
  return { p50: percentile(latenciesMs, 0.5), p99: percentile(latenciesMs, 0.99) };
}
