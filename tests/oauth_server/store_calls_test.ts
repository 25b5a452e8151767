import { assertEquals } from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import {
  authorizePath,
  browserOf,
  callAPI,
  exchange,
  ORIGIN,
  post,
  readConsent,
  refresh,
  sendConsent,
  startServer,
  tamper,
  targetOf,
  type TokenBody,
} from "./_server.ts";

/** Creates a store that notes its calls. */
function countedStore() {
  const inner = createMemorySessionStore();
  const calls: string[] = [];
  let meeting: (() => Promise<void>) | undefined;
  const store: SessionStore = {
    async get(key) {
      calls.push("get");
      const found = await inner.get(key);
      await meeting?.();
      return found;
    },
    put(...args) {
      calls.push("put");
      return inner.put(...args);
    },
    delete(key) {
      calls.push("delete");
      return inner.delete(key);
    },
    byIndex(name) {
      calls.push("byIndex");
      return inner.byIndex!(name);
    },
    getMany(keys) {
      calls.push("getMany");
      return Promise.all(keys.map(async (key) => await inner.get(key)));
    },
  };
  return {
    store,
    take: () => calls.splice(0).join(" "),
    /** Makes two requests read the same version. */
    meet() {
      const { promise, resolve } = Promise.withResolvers<void>();
      let count = 0;
      meeting = () => {
        if (++count === 2) {
          meeting = undefined;
          resolve();
        }
        return promise;
      };
    },
  };
}

Deno.test("each step makes its number of store calls, and no more", async () => {
  const { meet, store, take } = countedStore();
  const app = startServer({ store });
  const anonymous = createTestClient(app.router, { origin: ORIGIN });
  await anonymous.fetch(authorizePath());
  assertEquals(take(), "", "an anonymous request");

  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath()));
  assertEquals(take(), "byIndex", "the consent page");
  const response = await sendConsent(browser, form);
  assertEquals(take(), "put", "an approval");
  const code = targetOf(response).searchParams.get("code")!;

  await exchange(app, tamper(code));
  assertEquals(take(), "", "a code with a wrong MAC");
  const first: TokenBody = await (await exchange(app, code)).json();
  assertEquals(take(), "get put", "a code exchange");
  await exchange(app, code);
  assertEquals(take(), "get", "a code that was used");

  assertEquals(await callAPI(app, first.access_token), 200);
  assertEquals(take(), "get", "a check of an access token");
  await callAPI(app, tamper(first.access_token));
  assertEquals(take(), "", "an access token with a wrong MAC");

  const second: TokenBody = await (await refresh(app, first.refresh_token))
    .json();
  assertEquals(take(), "get put", "a refresh");
  await refresh(app, first.refresh_token);
  assertEquals(take(), "get", "a refresh that is repeated");
  meet();
  await Promise.all([1, 2].map(() => refresh(app, second.refresh_token)));
  assertEquals(take(), "get get put put get", "two refreshes at once");

  await post(app, "/revoke", { token: "unknown", client_id: "web" });
  assertEquals(take(), "", "a revocation of an unknown token");
  const token = second.refresh_token;
  await post(app, "/revoke", { token, client_id: "web" });
  assertEquals(take(), "get delete", "a revocation");
});

Deno.test("listing the grants of a user makes two store calls", async () => {
  const { store, take } = countedStore();
  const app = startServer({ store });
  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath()));
  const target = targetOf(await sendConsent(browser, form));
  await exchange(app, target.searchParams.get("code")!);
  take();
  assertEquals((await app.server.grants("1")).length, 1);
  assertEquals(take(), "byIndex getMany");
  assertEquals(await app.server.revoke("1"), 1);
  assertEquals(take(), "byIndex getMany delete");
});
