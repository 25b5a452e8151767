import {
  createOAuthProvider,
  type ExternalAuthProvider,
  externalAuthResult,
  type OIDCAuthProviderOptions,
  startExternalAuth,
  type StartExternalAuthOptions,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { done, type EventLog, type EventRow } from "./_event_log.ts";
import { clientOf, ORIGIN, REDIRECT_URI } from "./_login.ts";
import { LogoutApp } from "./_provider_logout.ts";
import { type Faults, TestProvider, USER } from "./_test_provider.ts";

/** A login at a provider that fails. */
interface FailedLogin {
  /** The faults of the provider from the callback on. */
  readonly faults?: Faults;
  readonly start?: StartExternalAuthOptions;
  /** The options of the client that finishes the login. */
  readonly client?: Partial<OIDCAuthProviderOptions>;
  /** Replaces both clients. */
  readonly as?: (provider: TestProvider) => ExternalAuthProvider;
  /** Changes the callback. */
  readonly edit?: (callback: URL) => void;
  /** The milliseconds between the start and the callback. */
  readonly wait?: number;
}

const respond = (path: string, response: () => Response): FailedLogin => ({
  faults: {
    respond: (request) => request.path === path ? response() : undefined,
  },
});

const callback = (name: string, value: string): FailedLogin => ({
  edit: ({ searchParams }) => searchParams.set(name, value),
});

/** Each code of a failed login. */
const LOGINS: Readonly<Record<string, FailedLogin>> = {
  wrong_callback: { edit: (url) => void (url.pathname = "/elsewhere") },
  state_missing: { edit: ({ searchParams }) => searchParams.delete("state") },
  state_unknown: callback("state", "A".repeat(43)),
  state_expired: { wait: 600_000 },
  provider_mismatch: { client: { clientId: "other" } },
  callback_invalid: callback("code", ""),
  access_denied: callback("error", "access_denied"),
  authorization_refused: callback("error", "server_error"),
  issuer_mismatch: callback("iss", "https://evil.example"),
  discovery_failed: { faults: { metadata: () => "no object" } },
  keys_failed: { faults: { keys: () => "no object" } },
  client_authentication_unsupported: {
    faults: {
      metadata: (metadata) => ({
        ...metadata,
        token_endpoint_auth_methods_supported: ["tls_client_auth"],
      }),
    },
  },
  token_request_failed: respond(
    "/token",
    () => new Response("<p>Down", { status: 502 }),
  ),
  token_request_refused: respond(
    "/token",
    () => Response.json({ error: "invalid_grant" }, { status: 400 }),
  ),
  token_response_invalid: {
    faults: { token: ({ access_token: _, ...token }) => token },
  },
  id_token_invalid: {
    faults: { claims: (claims) => ({ ...claims, aud: "other" }) },
  },
  authentication_too_old: {
    start: { maxAge: 1 },
    faults: { claims: (claims) => ({ ...claims, auth_time: 1 }) },
  },
  userinfo_failed: respond(
    "/userinfo",
    () => new Response("<p>Down", { status: 502 }),
  ),
  userinfo_mismatch: {
    faults: { userinfo: (claims) => ({ ...claims, sub: "other" }) },
  },
  profile_invalid: {
    as: ({ clientId, clientSecret, fetch, issuer }) =>
      createOAuthProvider({
        name: "music",
        issuer,
        authorizationEndpoint: `${issuer}/authorize`,
        tokenEndpoint: `${issuer}/token`,
        profileEndpoint: `${issuer}/userinfo`,
        clientId,
        clientSecret,
        redirectUri: REDIRECT_URI,
        scopes: ["profile"],
        fetch,
        parseProfile: (profile) => profile,
        subjectOf: () => "",
      }),
  },
};

function logIn({ as, client, edit, faults, start, wait = 0 }: FailedLogin) {
  return async (log: EventLog): Promise<void> => {
    const provider = await TestProvider.create();
    let time = Date.now();
    const now = () => time;
    provider.now = now;
    // Two clients, because the first one remembers the metadata.
    const [starts, finishes] = as
      ? [as(provider), as(provider)]
      : [clientOf(provider), clientOf(provider, client)];
    const router = createRouter({
      middleware: [
        log.middleware,
        session({ now, store: createMemorySessionStore({ now }) }),
      ],
    });
    router.get(
      "/login",
      (context) => startExternalAuth(starts, context, start),
    );
    for (const path of ["/callback", "/elsewhere"] as const) {
      router.get(path, async (context) => {
        await externalAuthResult(finishes, context);
        return done(context);
      });
    }
    const browser = createTestClient(router, { origin: ORIGIN });
    const started = await browser.fetch("/login");
    const url = new URL(provider.authorize(started.headers.get("Location")));
    edit?.(url);
    // A later login keeps the list of pending ones alive.
    time += wait / 2;
    if (wait > 0) await browser.fetch("/login");
    time += wait / 2;
    provider.faults = faults ?? {};
    await log.take();
    await browser.fetch(url.href);
  };
}

/** Sends a logout token of the provider, or another string. */
function logOut(
  findUserId?: () => string,
  token?: string,
) {
  return async (log: EventLog): Promise<void> => {
    const provider = await TestProvider.create();
    const store = createMemorySessionStore();
    const client = clientOf(provider);
    const app = new LogoutApp(provider, store, findUserId, client, [
      log.middleware,
    ]);
    await app.send(token ?? await app.logoutToken({ sub: USER.sub }));
  };
}

const BACK_CHANNEL = "auth/external/after_login/back_channel_logout.ts";

/** The logins at providers that fail, and the logouts by providers. */
export const EXTERNAL_EVENTS: readonly EventRow[] = [
  ...Object.entries(LOGINS).map(([code, login]) => ({
    from: "auth/external/login/finish.ts",
    event: `login failure ${code}`,
    cause: logIn(login),
  })),
  {
    from: BACK_CHANNEL,
    event: "logout-everywhere success back-channel",
    cause: logOut(),
  },
  {
    from: BACK_CHANNEL,
    event: "logout-everywhere success back-channel",
    target: "7",
    cause: logOut(() => "7"),
  },
  {
    from: BACK_CHANNEL,
    event: "logout-everywhere failure logout_token_invalid",
    cause: logOut(undefined, "no token"),
  },
  {
    from: BACK_CHANNEL,
    event: "logout-everywhere failure logout_failed",
    cause: logOut(() => {
      throw new Error("The database is unavailable");
    }),
  },
];
