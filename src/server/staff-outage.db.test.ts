import { afterAll, beforeAll, expect, it } from "vitest";
import { TcpProxy } from "../testing/server-tcp-proxy";
import { PASSWORD, StaffHouse } from "../testing/staff";
import { waitFor } from "../testing/wait-for";

let proxy: TcpProxy;
let house: StaffHouse;

beforeAll(async () => {
  house = await StaffHouse.start({}, async url => {
    proxy = await TcpProxy.start(url);
    return proxy.through(url);
  });
  await house.insert("admin", "adele");
});
afterAll(async () => {
  await house.stop();
  await proxy.stop();
});

it("without Redis people sign in all the same, and are counted", async () => {
  await house.redis.kill();
  await house.cookieOf("adele");
  await house.redis.run();
});

it("without the database: nobody gets in, nothing is said of why, and it recovers", async () => {
  const cookie = await house.cookieOf("adele");
  const { port } = proxy;
  await proxy.stop();
  const asked = await house.ask("user.list", {}, { cookie });
  expect([asked.status, asked.json.error.data.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  const signedIn = await house.signIn({ username: "adele", password: PASSWORD });
  const message = "We are very busy. Please try again in a moment.";
  expect([signedIn.status, signedIn.json]).toEqual([503, { code: "BUSY", message }]);
  proxy = await TcpProxy.start(house.database.url, { port });
  await waitFor("the console to answer", async () => {
    return (await house.ask("user.list", {}, { cookie })).status === 200;
  });
});
