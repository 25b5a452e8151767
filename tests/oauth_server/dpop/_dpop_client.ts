/** Clients that bind their tokens to a key (RFC 9449). */
import { assertEquals } from "@std/assert";
import { dpopTokens } from "@gatehouse/web/oauth-server";
import {
  type Changes,
  type ClientKey,
  createClientKey,
  hashOf,
  signProof,
} from "../../auth/_dpop.ts";
import {
  API,
  browserOf,
  CALLBACK,
  getCode,
  ORIGIN,
  type ServerSettings,
  startServer,
  type TestApp,
  type TestServer,
  type TokenBody,
  VERIFIER,
} from "../_server.ts";

export type { ClientKey };

/** The key of the client, and another one. */
export const KEY = await createClientKey();
export const OTHER = await createClientKey();

/** The secret of the client `partner`, and its hash. */
export const SECRET = "billing_" + "s".repeat(43);
const SECRET_HASH = "cNmRl5kyEb44P9HaEbMkv-2Adgs47QE56UGeNxYGH_E";

/** The clients: a public one, and one with a secret. */
const CLIENTS = [
  {
    id: "web",
    name: "Web client",
    redirectUris: [CALLBACK],
    grants: ["code", "device"],
  },
  {
    id: "partner",
    name: "Partner",
    redirectUris: [CALLBACK],
    grants: ["code", "introspection"],
    authentication: { secretHashes: [SECRET_HASH] },
  },
] as const;

/** Starts a server with bound tokens. */
export function startDPoPServer(settings: ServerSettings = {}): TestServer {
  return startServer({ dpop: dpopTokens(), clients: CLIENTS, ...settings });
}

/** An application with a clock. */
export type ClockedApp = TestApp & Pick<TestServer, "clock">;

/** Signs a proof for the token endpoint, with changed claims and header. */
export async function proofOf(
  { clock }: Pick<TestServer, "clock">,
  key: ClientKey = KEY,
  claims: Changes = {},
  header: Changes = {},
): Promise<string> {
  const own = {
    htm: "POST",
    htu: `${ORIGIN}/token`,
    iat: Math.floor(clock.now / 1000),
    ath: undefined,
  };
  return await signProof(key, { ...own, ...claims }, header);
}

/** Sends a form to the token endpoint, with a proof or without one for `null`. */
export async function sendForm(
  { router }: TestApp,
  form: Readonly<Record<string, string>>,
  proof: string | null,
): Promise<Response> {
  const headers = new Headers(proof === null ? {} : { DPoP: proof });
  if (form.client_id === "partner") {
    headers.set("Authorization", `Basic ${btoa(`partner:${SECRET}`)}`);
  }
  const body = new URLSearchParams(form);
  return await router.fetch(
    new Request(`${ORIGIN}/token`, { method: "POST", headers, body }),
  );
}

/** Returns the form of an exchange of a code. */
export function codeForm(
  code: string,
  client = "web",
): Record<string, string> {
  return {
    grant_type: "authorization_code",
    client_id: client,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    code,
  };
}

/** Returns the form of a refresh. */
export function refreshForm(
  token: string,
  client = "web",
): Record<string, string> {
  return {
    grant_type: "refresh_token",
    client_id: client,
    refresh_token: token,
  };
}

/** Exchanges a code with a proof of a key. */
export async function exchangeWith(
  app: ClockedApp,
  code: string,
  key: ClientKey | null = KEY,
  client = "web",
): Promise<Response> {
  const proof = key && await proofOf(app, key);
  return await sendForm(app, codeForm(code, client), proof);
}

/** Uses a refresh token with a proof of a key. */
export async function refreshWith(
  app: ClockedApp,
  token: string,
  key: ClientKey | null = KEY,
  client = "web",
): Promise<Response> {
  const proof = key && await proofOf(app, key);
  return await sendForm(app, refreshForm(token, client), proof);
}

/** Connects a client, whose tokens are bound to a key. */
export async function connectWith(
  app: ClockedApp,
  key: ClientKey | null = KEY,
  client = "web",
): Promise<TokenBody> {
  const code = await getCode(await browserOf(app), { client_id: client });
  const response = await exchangeWith(app, code, key, client);
  assertEquals(response.status, 200);
  return await response.json();
}

/** Calls the API with a token and a proof, and returns the response. */
export async function callWith(
  { clock, router }: ClockedApp,
  token: string,
  key: ClientKey | null = KEY,
  scheme = "DPoP",
): Promise<Response> {
  const headers = new Headers({ Authorization: `${scheme} ${token}` });
  if (key !== null) {
    const claims = {
      htm: "GET",
      htu: API,
      iat: Math.floor(clock.now / 1000),
      ath: await hashOf(token),
    };
    headers.set("DPoP", await signProof(key, claims));
  }
  const response = await router.fetch(new Request(API, { headers }));
  await response.body?.cancel();
  return response;
}
