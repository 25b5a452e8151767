// `forwardTo` with kept tokens, which the provider has bound to a key.
import {
  createDPoPBinding,
  createDPoPVerifier,
  thumbprintOfDPoPKey,
} from "@gatehouse/web/auth/access-tokens";
import { forwardTo } from "@gatehouse/web/auth/provider-tokens";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals } from "@std/assert";
import { TokenApp, tokenOf } from "../_token_app.ts";

Deno.test("forwardTo() proves the key of kept tokens, also of refreshed ones (RFC 9449, section 7)", async () => {
  const app = await TokenApp.create({
    client: { dpop: createDPoPBinding(), userinfo: false },
  });
  app.provider.faults = {
    token: (token) => ({ ...token, token_type: "DPoP" }),
  };
  let thumbprint = "";
  const now = () => app.time;
  const verifier = createDPoPVerifier({
    store: createMemorySessionStore({ now }),
  });
  const tokens: string[] = [];
  const api = async (url: string, init: RequestInit) => {
    const context = new RequestContext(new Request(url, init));
    const [scheme, token] = context.headers.get("Authorization")!.split(" ");
    tokens.push(token);
    const { ok } = await verifier.verify(context, { token, thumbprint });
    return Response.json({ scheme, ok });
  };
  app.first.router.mount(
    "/api",
    forwardTo("https://api.example/v1", {
      tokens: app.first.tokens,
      paths: { "/notes": ["GET", "POST"] },
      fetch: api,
    }),
  );
  const browser = await app.logIn();
  const token = await tokenOf(browser);
  assert(token.ok && token.dpopKey);
  thumbprint = await thumbprintOfDPoPKey(token.dpopKey);

  const headers = { "Sec-Fetch-Site": "same-origin" };
  const send = async (method: string) => {
    const response = await browser.fetch("/api/notes", { method, headers });
    return await response.json();
  };
  const proven = { scheme: "DPoP", ok: true };
  assertEquals(await send("GET"), proven);
  assertEquals(await send("POST"), proven);
  app.expire();
  assertEquals(await send("GET"), proven);
  assertEquals(new Set(tokens).size, 2);
});
