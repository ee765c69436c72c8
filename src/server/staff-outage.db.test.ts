import { afterAll, beforeAll, expect, it } from "vitest";
import { TcpProxy } from "../testing/server-tcp-proxy";
import { PASSWORD, StaffFixture } from "../testing/staff";
import { waitFor } from "../testing/wait-for";

let proxy: TcpProxy;
let fixture: StaffFixture;

beforeAll(async () => {
  fixture = await StaffFixture.start({}, async url => {
    proxy = await TcpProxy.start(url);
    return proxy.through(url);
  });
  await fixture.insert("admin", "adele");
});
afterAll(async () => {
  await fixture.stop();
  await proxy.stop();
});

it("without Redis users can sign in, and attempts are counted", async () => {
  await fixture.redis.kill();
  await fixture.cookieOf("adele");
  await fixture.redis.run();
});

it("without the database sign-in is refused with a neutral message, and it recovers", async () => {
  const cookie = await fixture.cookieOf("adele");
  const { port } = proxy;
  await proxy.stop();
  const asked = await fixture.ask("user.list", {}, { cookie });
  expect([asked.status, asked.json.error.data.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
  const signedIn = await fixture.signIn({ username: "adele", password: PASSWORD });
  const message = "We are very busy. Please try again in a moment.";
  expect([signedIn.status, signedIn.json]).toEqual([503, { code: "BUSY", message }]);
  proxy = await TcpProxy.start(fixture.database.url, { port });
  await waitFor("the console to answer", async () => {
    return (await fixture.ask("user.list", {}, { cookie })).status === 200;
  });
});
