import {
  type CookieToSet,
  readCookies,
  Sealer,
  serializeCookie,
} from "../../session/internal.ts";
import { encodeBase64Url, sha256 } from "../../session/secrets.ts";
import type { ProviderEngine } from "./_engine.ts";

// A provider that posts its answer posts it across sites, and such a request
// has no Lax cookie: there is no session to find the login in. So the answer is
// sealed into a cookie of its own and read by the GET that follows.

/** The cookie that holds an answer. There is one: nobody can plant many. */
const NAME = "__Host-external-auth";

/** Milliseconds that it is good for. */
const LIFETIME = 60_000;

/** What browsers take of a cookie: name and value together. */
const MAX_COOKIE = 4096;

/** What the answer may consist of. */
const PARAMS = ["code", "state", "iss", "error"] as const;

/** The `Set-Cookie` header that removes the answer. */
export const forgetAnswer: string = /* @__PURE__ */ serializeCookie(
  /* @__PURE__ */ cookie("", 0),
);

/**
 * Seals a provider's answer.
 *
 * @returns The `Set-Cookie` header, or `null` where it would be too large.
 */
export async function sealAnswer(
  engine: ProviderEngine<unknown>,
  answer: URLSearchParams,
): Promise<string | null> {
  const kept = PARAMS.flatMap((name) =>
    answer.getAll(name).slice(0, 2).map((value) => [name, value])
  );
  const expiresAt = engine.now() + LIFETIME;
  const text = JSON.stringify({ kept, expiresAt });
  const value = await (await sealerOf(engine)).seal(nameOf(engine), text);
  if (NAME.length + value.length > MAX_COOKIE) return null;
  return serializeCookie(cookie(value, LIFETIME / 1000));
}

/** Opens the answer that a request carries; `null` where there is none. */
export async function openAnswer(
  engine: ProviderEngine<unknown>,
  headers: Headers,
): Promise<URLSearchParams | null> {
  const [value = ""] = readCookies(headers.get("Cookie"), NAME);
  const opened = await (await sealerOf(engine)).open(nameOf(engine), value);
  if (opened === null) return null;
  const { kept, expiresAt } = JSON.parse(opened);
  return expiresAt > engine.now() ? new URLSearchParams(kept) : null;
}

/** One provider's answer is no other's. */
function nameOf({ client, options }: ProviderEngine<unknown>): string {
  return JSON.stringify([NAME, client.clientId, options.redirectUri]);
}

const sealers = /* @__PURE__ */ new WeakMap<object, Promise<Sealer>>();

function sealerOf(engine: ProviderEngine<unknown>): Promise<Sealer> {
  let sealer = sealers.get(engine);
  if (sealer === undefined) sealers.set(engine, sealer = createSealer(engine));
  return sealer;
}

async function createSealer(
  { client, options }: ProviderEngine<unknown>,
): Promise<Sealer> {
  const secret = options.formPostSecret ?? client.clientSecret;
  // Hashed with its purpose, so that no other use of it has the same key.
  const hash = await sha256(`gatehouse external auth form_post ${secret}`);
  return new Sealer([encodeBase64Url(hash)]);
}

/** SameSite=None: the redirect that follows a cross-site POST must carry it. */
function cookie(value: string, maxAge: number): CookieToSet {
  return {
    name: NAME,
    value,
    maxAge,
    path: "/",
    secure: true,
    sameSite: "None",
  };
}
