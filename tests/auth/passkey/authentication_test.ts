import { securityEvents } from "@gatehouse/web/middleware";
import type { TestPasskeyChanges } from "@gatehouse/web/testing";
import { assert, assertEquals } from "@std/assert";
import { createPasskeyApp, withPasskey } from "../_passkey_app.ts";

Deno.test("finishAuthentication() accepts a passkey without PIN only as a second factor", async () => {
  const { app, authenticator } = await withPasskey({
    userVerification: "preferred",
  }, { userVerified: false });
  const strict = createPasskeyApp({ store: app.store });
  for (
    const [purpose, reason] of [
      ["login", "user_not_verified"],
      ["second-factor", undefined],
      ["confirm", "user_not_verified"],
    ] as const
  ) {
    const result = await strict.logIn(authenticator, {}, undefined, purpose);
    assertEquals(result.ok ? undefined : result.reason, reason);
    const preferred = await app.logIn(authenticator, {}, undefined, purpose);
    assert(preferred.ok);
    assertEquals(preferred.userVerified, false);
  }
});

Deno.test("finishAuthentication() stores counter, backup state and time of the use", async () => {
  const { app, authenticator, id } = await withPasskey({}, {
    counts: true,
    backedUp: true,
  });
  assertEquals((await app.store.get(id))?.usedAt, null);
  app.wait(5_000);
  const result = await app.logIn(authenticator);
  const stored = await app.store.get(id);
  assertEquals([stored?.counter, stored?.backedUp], [1, true]);
  assertEquals(stored!.usedAt! - stored!.createdAt, 5_000);
  assertEquals(result.ok && result.passkey, stored);
});

Deno.test("finishAuthentication() returns the methods for completeAuth()", async () => {
  const synced = await withPasskey({}, { backedUp: true });
  const result = await synced.app.logIn(synced.authenticator);
  assertEquals(result.ok && result.methods, ["swk", "user", "mfa"]);
  const { app, authenticator } = await withPasskey({
    userVerification: "preferred",
  }, { userVerified: false });
  for (
    const [purpose, methods] of [
      ["login", ["hwk", "user"]],
      ["second-factor", ["hwk", "user", "mfa"]],
      ["confirm", ["hwk", "user"]],
    ] as const
  ) {
    const result = await app.logIn(authenticator, {}, undefined, purpose);
    assertEquals<unknown>(result.ok && result.methods, methods);
  }
});

Deno.test("finishAuthentication() reports a counter that does not increase as a failed login", async () => {
  const reports: string[] = [];
  const events = securityEvents(({ event: { action, outcome, reason } }) => {
    reports.push(`${action} ${outcome} ${reason}`);
  });
  const options = { middleware: [events] };
  const { app, authenticator } = await withPasskey(options, { counts: true });
  const copied: TestPasskeyChanges = {
    authenticatorData(data) {
      new DataView(data.buffer).setUint32(33, 1);
      return data;
    },
  };
  await app.logIn(authenticator, copied);
  await app.logIn(authenticator, copied);
  await events.flush();
  assertEquals(reports, [
    "factor-add success undefined",
    "login failure counter_not_increased",
  ]);
});
