import { describe, expect, it } from "vitest";
import { clientAddress } from "./client-address";

const forwarded = (value: string) => ({ "x-forwarded-for": value });

describe("clientAddress", () => {
  it("ignores the header without a trusted proxy", () => {
    expect(clientAddress("203.0.113.9", forwarded("1.1.1.1"), 0)).toBe("203.0.113.9");
  });

  it("takes the entry that the trusted proxy has written, not the client's entries before it", () => {
    for (let n = 1; n <= 100; n += 1) {
      expect(clientAddress("10.0.0.1", forwarded(`1.1.1.${n}, 203.0.113.9`), 1)).toBe("203.0.113.9");
    }
    expect(clientAddress("10.0.0.1", forwarded("6.6.6.6, 203.0.113.9, 10.0.0.7"), 2)).toBe("203.0.113.9");
  });

  it("falls back to the connection when the header is missing or malformed", () => {
    expect(clientAddress("10.0.0.1", {}, 1)).toBe("10.0.0.1");
    expect(clientAddress("10.0.0.1", forwarded("not an address"), 1)).toBe("10.0.0.1");
    expect(clientAddress(undefined, {}, 0)).toBe("unknown");
  });

  it("reads entries that carry a port", () => {
    expect(clientAddress("10.0.0.1", forwarded("192.0.2.1:5678"), 1)).toBe("192.0.2.1");
    expect(clientAddress("10.0.0.1", forwarded("[2001:db8:1:2::1]:443"), 1)).toBe("2001:db8:1:2::/64");
    expect(clientAddress("10.0.0.1", forwarded("[2001:db8:1:2::1]"), 1)).toBe("2001:db8:1:2::/64");
  });

  it("gives one address for every spelling of an IPv4 client, and two for two clients", () => {
    const spellings = ["1.2.3.4", "::ffff:1.2.3.4", "::ffff:102:304"];
    expect(new Set(spellings.map(peer => clientAddress(peer, {}, 0)))).toEqual(new Set(["1.2.3.4"]));
    expect(clientAddress("::ffff:1.2.3.5", {}, 0)).toBe("1.2.3.5");
  });

  it("gives one address for a whole /64", () => {
    const inOne = Array.from({ length: 100 }, (_, n) =>
      clientAddress(`2001:db8:1:2::${(n + 1).toString(16)}`, {}, 0),
    );
    expect(new Set(inOne).size).toBe(1);
    expect(clientAddress("2001:db8:1:3::1", {}, 0)).not.toBe(inOne[0]);
  });
});
