import { expect, it } from "vitest";
import { ROLES } from "../contract";
import { homePage, mainGroup, NAV_ITEMS } from "./nav-items";

it("gives each page its own address and key", () => {
  expect(new Set(NAV_ITEMS.map(({ href }) => href)).size).toBe(NAV_ITEMS.length);
  expect(new Set(NAV_ITEMS.map(({ key }) => key)).size).toBe(NAV_ITEMS.length);
});

it("opens Symbols for a trader and Gate for every other role", () => {
  const pages = Object.fromEntries(ROLES.map(role => [role, homePage(role)]));
  expect(pages).toMatchObject({
    trader: "/console/symbols",
    operator: "/console/gate",
    viewer: "/console/gate",
  });
  for (const role of ROLES) expect(mainGroup(role).items[0]?.href).toBe(homePage(role));
});
