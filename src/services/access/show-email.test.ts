import { expect, it } from "vitest";
import { readEmail } from "../../domain/access/email";
import { showEmail } from "./show-email";

it.each([
  ["kim@xn--3e0b707e.xn--3e0b707e", "kim@\ud55c\uad6d.\ud55c\uad6d"],
  ["mia@mail.xn--bcher-kva.example", "mia@mail.b\u00fccher.example"],
  ["mia@example.com", "mia@example.com"],
  ["admin@localhost", "admin@localhost"],
  ['"a@xn--3e0b707e"@example.com', '"a@xn--3e0b707e"@example.com'],
])("shows %s as %s, which is read back", (email, shown) => {
  expect(showEmail(email)).toBe(shown);
  if (email.includes(".")) expect(readEmail(shown)).toEqual({ ok: true, email });
});

it.each([
  ["a Cyrillic letter among Latin ones", "xn--pypal-4ve.com"],
  ["a symbol", "xn--n3h.net"],
  ["what is no A-label", "xn--zzzz.com"],
])("keeps the A-label of %s", (_, domain) => {
  expect(showEmail(`mia@${domain}`)).toBe(`mia@${domain}`);
});
