import {
  completeAuth,
  credentialsAuthResult,
  verifyCredentials,
} from "@gatehouse/web/auth";
import { createPasskeyAuthProvider } from "@gatehouse/web/auth/passkey";
import { createRouter } from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/middleware";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { withPasskey } from "../_passkey_app.ts";

Deno.test("createPasskeyAuthProvider() works as a provider of credentials, with a form", async () => {
  const { app, authenticator } = await withPasskey();
  const { passkeys } = app;
  const users = new Map([[7, { id: 7, name: "Ada" }]]);
  const provider = createPasskeyAuthProvider({
    passkeys,
    findUser: ({ userId }) => users.get(Number(userId)) ?? null,
  });
  const reasons: string[] = [];
  const router = createRouter({ middleware: [formData(), session()] });
  router.post(
    "/options",
    async (context) =>
      Response.json(await passkeys.authenticationOptions(context)),
  );
  router.post("/login", async (context) => {
    const user = await verifyCredentials(provider, context);
    if (user !== null) {
      await completeAuth(context, user.id);
      return new Response(user.name);
    }
    const result = await credentialsAuthResult(provider, context);
    const first = await passkeys.finishAuthentication(context);
    reasons.push(result.ok || first.ok ? "ok" : first.reason);
    return new Response(null, { status: 422 });
  });
  const browser = createTestClient(router);
  const logIn = async () => {
    const options = await browser.fetch("/options", { method: "POST" });
    const response = await authenticator.authenticate(await options.json());
    const body = new URLSearchParams({ passkey: JSON.stringify(response) });
    return await browser.fetch("/login", { method: "POST", body });
  };
  assertEquals(await (await logIn()).text(), "Ada");
  const empty = { method: "POST", body: new URLSearchParams() };
  assertEquals((await browser.fetch("/login", empty)).status, 422);
  users.clear();
  assertEquals((await logIn()).status, 422);
  assertEquals(reasons, ["response_missing", "ok"]);
});
