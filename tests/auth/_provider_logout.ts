import {
  backChannelLogout,
  type BackChannelLogoutOptions,
  completeAuth,
  type ExternalAuthProvider,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { Session, type SessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { SignJWT } from "jose";
import { clientOf, ORIGIN } from "./_login.ts";
import { type TestProvider, USER } from "./_test_provider.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** An application whose users log in and are logged out at a provider. */
export class LogoutApp {
  readonly #provider: TestProvider;
  readonly #router;

  constructor(
    provider: TestProvider,
    store: SessionStore,
    findUserId?: BackChannelLogoutOptions["findUserId"],
    client: ExternalAuthProvider = clientOf(provider),
    middleware: readonly Middleware[] = [],
  ) {
    this.#provider = provider;
    const router = createRouter({
      middleware: [...middleware, session({ store })],
    });
    router.get("/login", (context) => startExternalAuth(client, context));
    router.get("/callback", async (context) => {
      const result = await externalAuthResult(client, context);
      if (!result.ok) return new Response(result.error.code, { status: 401 });
      await completeAuth(context, `user of ${result.subject}`);
      return new Response();
    });
    router.post("/password", async (context) => {
      await completeAuth(context, `user of ${USER.sub}`);
      return new Response();
    });
    router.post("/renew", (context) => {
      context.get(Session).regenerateId();
      context.get(Session).set("theme", "dark");
      return new Response();
    });
    router.post("/logout", (context) =>
      backChannelLogout(client, context, {
        store,
        ...findUserId && { findUserId },
      }));
    router.get(
      "/",
      (context) =>
        new Response(String(context.get(Session).userId ?? "anonymous")),
    );
    this.#router = router;
  }

  /** Logs in at the provider with claims of the ID token and userinfo. */
  async logIn(
    claims: Record<string, unknown> = {},
    info: Record<string, unknown> = {},
  ): Promise<TestClient> {
    const browser = createTestClient(this.#router, { origin: ORIGIN });
    const started = await browser.fetch("/login");
    const callback = this.#provider.authorize(started.headers.get("Location"));
    this.#provider.faults = {
      claims: (right) => ({ ...right, ...claims }),
      userinfo: ({ sub, ...right }) => ({
        ...right,
        sub: claims.sub ?? sub,
        ...info,
      }),
    };
    const finished = await browser.fetch(callback);
    if (!finished.ok) throw new Error(await finished.text());
    return browser;
  }

  /** Logs the same user in, without the provider. */
  async logInByPassword(): Promise<TestClient> {
    const browser = createTestClient(this.#router, { origin: ORIGIN });
    await browser.fetch("/password", { method: "POST" });
    return browser;
  }

  /** Sends a logout token with claims. */
  async logOut(claims: Record<string, unknown>): Promise<number> {
    const token = await this.logoutToken(claims);
    return await this.send(token);
  }

  /** Posts a logout token to the application. */
  async send(token: string): Promise<number> {
    const { status } = await this.#router.fetch(`${ORIGIN}/logout`, {
      method: "POST",
      body: new URLSearchParams({ logout_token: token }),
    });
    return status;
  }

  /** Signs a logout token. */
  async logoutToken(claims: Record<string, unknown>): Promise<string> {
    const { clientId, issuer, keys: [key] } = this.#provider;
    const iat = Math.floor(Date.now() / 1000);
    return await new SignJWT({
      iss: issuer,
      aud: clientId,
      iat,
      exp: iat + 120,
      jti: crypto.randomUUID(),
      events: { [EVENT]: {} },
      ...claims,
    }).setProtectedHeader({
      alg: key!.alg,
      kid: String(key!.jwk.kid),
      typ: "logout+jwt",
    }).sign(key!.privateKey);
  }
}

/** Returns the user of each session. */
export function usersOf(...browsers: TestClient[]): Promise<string[]> {
  return Promise.all(
    browsers.map(async (browser) => await (await browser.fetch("/")).text()),
  );
}

/**
 * Starts three sessions at the provider, ends them by session and then by
 * subject, and returns the users after each step. The result is the same on any
 * store.
 */
export async function endBySessionThenBySubject(
  provider: TestProvider,
  store: SessionStore,
): Promise<string[][]> {
  const app = new LogoutApp(provider, store);
  const browsers = [
    await app.logIn({ sid: "s1" }),
    await app.logIn({ sid: "s2" }),
    await app.logIn(),
    await app.logIn({ sid: "s1|", sub: "someone else" }),
  ];
  const seen = [];
  await browsers[0]!.fetch("/renew", { method: "POST" });
  for (
    const claims of [
      { sid: "s1" },
      { sid: "s1", sub: USER.sub },
      { sub: USER.sub },
    ]
  ) {
    await app.logOut(claims);
    seen.push(await usersOf(...browsers));
  }
  return seen;
}

/** The expected result of {@linkcode endBySessionThenBySubject}. */
export const ENDED: readonly string[][] = [
  ["anonymous", `user of ${USER.sub}`, `user of ${USER.sub}`],
  // The ID token of the third login has no sid, so it may be this session.
  ["anonymous", `user of ${USER.sub}`, "anonymous"],
  ["anonymous", "anonymous", "anonymous"],
].map((users) => [...users, "user of someone else"]);
