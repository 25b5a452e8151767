import { completeAuth } from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  createSessionAuthScheme,
} from "@gatehouse/web/auth-middleware";
import {
  deviceBoundSessions,
  type DeviceBoundSessionsOptions,
  requireBoundSession,
} from "@gatehouse/web/auth/device-bound";
import {
  createRouter,
  type Middleware,
  type Router,
} from "@gatehouse/web/fetch-router";
import { Session, userSessions } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import { createTestClient, type TestTarget } from "@gatehouse/web/testing";

/** The lifetime of the bound cookie in the tests, in milliseconds. */
export const LIFETIME = 300_000;

/** The time that requests in flight have. */
export const IN_FLIGHT = 15_000;

export const REGISTRATION = "Secure-Session-Registration";
export const CHALLENGE = "Secure-Session-Challenge";
export const RESPONSE = "Secure-Session-Response";
export const SESSION_ID = "Sec-Secure-Session-Id";

/** A clock that tests set. */
export interface Clock {
  time: number;
}

export interface BoundAppOptions {
  readonly clock?: Clock;
  readonly session?: SessionOptions;
  readonly bound?: DeviceBoundSessionsOptions;
  /** Middleware before the session. */
  readonly middleware?: readonly Middleware[];
}

/** Creates an application with bound sessions and a clock. */
export function createBoundApp(
  {
    bound,
    clock = { time: 1_000_000_000_000 },
    middleware = [],
    session: options,
  }: BoundAppOptions = {},
): { router: Router; clock: Clock } {
  const now = () => clock.time;
  const router = createRouter({
    onError: (error, context) => {
      return error instanceof Error && error.message === "After the login"
        ? new Response(null, { status: 500 })
        : context.createErrorResponse({ status: 500 });
    },
    middleware: [
      ...middleware,
      session({ now, ...options }),
      deviceBoundSessions({ now, lifetime: LIFETIME, ...bound }),
      auth({
        schemes: [createSessionAuthScheme({
          name: "session",
          verify: (id: string | number) => ({ id }),
        })],
      }),
    ],
  });
  router.get("/", (context) => Response.json(context.get(Auth)?.id ?? null));
  router.get("/bound", {
    middleware: [requireBoundSession()],
    handler: () => new Response("bound"),
  });
  router.post("/login/:id", async (context) => {
    await completeAuth(context, context.params.id);
    return new Response();
  });
  router.post("/failing-login/:id", async (context) => {
    await completeAuth(context, context.params.id);
    throw new Error("After the login");
  });
  router.post("/logout", (context) => {
    context.get(Session).destroy();
    return new Response();
  });
  router.post("/rotate", (context) => {
    context.get(Session).regenerateId();
    return new Response();
  });
  router.post("/write", (context) => {
    context.get(Session).set("written", true);
    return new Response();
  });
  router.get(
    "/written",
    (context) => Response.json(context.get(Session).get("written") ?? null),
  );
  router.get("/sessions", async (context) => {
    const list = await userSessions(context).list();
    return Response.json(list.map(({ bound }) => bound));
  });
  return { router, clock };
}

/** The header and the claims of a proof, to change in tests. */
export interface ProofParts {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
  readonly key?: CryptoKey;
}

type Algorithm = "ES256" | "RS256";

const PARAMETERS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
} as const;

/** Creates a key pair of a device. */
export async function createKeyPair(
  algorithm: Algorithm = "ES256",
): Promise<CryptoKeyPair> {
  const parameters = PARAMETERS[algorithm];
  return await crypto.subtle
    .generateKey(parameters, true, ["sign", "verify"]) as CryptoKeyPair;
}

/** Signs any header and claims. */
export async function signProof(
  key: CryptoKey,
  header: unknown,
  claims: unknown,
): Promise<string> {
  const text = `${encode(JSON.stringify(header))}.${
    encode(JSON.stringify(claims))
  }`;
  const parameters = { name: key.algorithm.name, hash: "SHA-256" };
  const data = new TextEncoder().encode(text);
  const signature = await crypto.subtle.sign(parameters, key, data);
  return `${text}.${encode(new Uint8Array(signature))}`;
}

/** Encodes a string or bytes as base64url. */
export function encode(value: string | Uint8Array): string {
  const bytes = typeof value === "string"
    ? new TextEncoder().encode(value)
    : value;
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A browser with a device key, which does what Chromium does. */
export class Device {
  readonly router: TestTarget;
  readonly algorithm: Algorithm;
  readonly client: ReturnType<typeof createTestClient>;
  keys: CryptoKeyPair | undefined;
  /** The name of the session in the browser. */
  id = "";
  /** The latest challenge. */
  challenge = "";

  constructor(
    router: TestTarget,
    algorithm: Algorithm = "ES256",
    origin = "https://example.com",
  ) {
    this.router = router;
    this.algorithm = algorithm;
    this.client = createTestClient(router, { origin });
  }

  /** The `Cookie` header. */
  get jar(): string {
    return [...this.client.cookies].map((pair) => pair.join("=")).join("; ");
  }

  async get(path = "/", headers: HeadersInit = {}): Promise<Response> {
    const response = await this.client.fetch(path, { headers });
    this.#remember(response);
    return response;
  }

  async post(path: string, headers: HeadersInit = {}): Promise<Response> {
    const init = { method: "POST", headers };
    const response = await this.client.fetch(path, init);
    this.#remember(response);
    return response;
  }

  /** Logs in and keeps the challenge for the registration. */
  async logIn(id = "7", headers: HeadersInit = {}): Promise<Response> {
    const response = await this.post(`/login/${id}`, headers);
    this.keys = await createKeyPair(this.algorithm);
    return response;
  }

  /** Logs in with a handler that then throws. */
  async logInWithError(id = "7", headers: HeadersInit = {}): Promise<Response> {
    const response = await this.post(`/failing-login/${id}`, headers);
    this.keys = await createKeyPair(this.algorithm);
    return response;
  }

  /** Creates the header of a registration. */
  async registrationProof(parts: ProofParts = {}): Promise<string> {
    const { kty, crv, x, y, n, e } = await crypto.subtle
      .exportKey("jwk", this.keys!.publicKey);
    const jwk = this.algorithm === "ES256" ? { kty, crv, x, y } : { kty, n, e };
    return await this.#sign({ jwk, ...parts.header }, parts);
  }

  /** Creates the header of a refresh. */
  refreshProof(parts: ProofParts = {}): Promise<string> {
    return this.#sign(parts.header ?? {}, parts);
  }

  async register(parts: ProofParts = {}): Promise<Response> {
    const proof = await this.registrationProof(parts);
    const response = await this.post("/device-session/registration", {
      [RESPONSE]: `"${proof}"`,
    });
    if (response.ok) {
      this.id = (await response.clone().json()).session_identifier;
    }
    return response;
  }

  /** Sends one refresh, with a proof if there is a challenge. */
  async refresh(parts?: ProofParts): Promise<Response> {
    const headers = new Headers({ [SESSION_ID]: `"${this.id}"` });
    if (parts !== undefined || this.challenge !== "") {
      headers.set(RESPONSE, `"${await this.refreshProof(parts)}"`);
    }
    return await this.post("/device-session/refresh", headers);
  }

  /** Refreshes the cookie, with a second request if the challenge is too old. */
  async renew(): Promise<Response> {
    const response = await this.refresh();
    return response.status === 403 ? await this.refresh() : response;
  }

  /** Logs in, registers the key, and shows the bound cookie. */
  async bind(id = "7"): Promise<this> {
    await this.logIn(id);
    await this.register();
    await this.get();
    return this;
  }

  #sign(header: Record<string, unknown>, parts: ProofParts): Promise<string> {
    return signProof(
      parts.key ?? this.keys!.privateKey,
      { alg: this.algorithm, typ: "dbsc+jwt", ...header },
      { jti: this.challenge, ...parts.claims },
    );
  }

  #remember({ headers }: Response): void {
    const registration = headers.get(REGISTRATION);
    if (registration !== null) {
      this.challenge = /challenge="([^"]*)"/.exec(registration)?.[1] ?? "";
    }
    const [, challenge, id] =
      /^"([^"]*)";id="([^"]*)"$/.exec(headers.get(CHALLENGE) ?? "") ?? [];
    if (id === this.id && challenge) this.challenge = challenge;
  }
}

/** Sends a request with copied cookies. */
export function withCopy(
  router: Router,
  jar: string,
  path = "/",
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Cookie", jar);
  return router.fetch(`https://example.com${path}`, { ...init, headers });
}
