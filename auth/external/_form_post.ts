import {
  CookieCipher,
  type CookieToSet,
  readCookies,
  readCookiesBelow,
  serializeCookie,
} from "../../session/internal.ts";
import { encodeBase64Url, sha256 } from "../../session/secrets.ts";
import type { ProviderEngine } from "./_engine.ts";

// A provider that posts its answer posts it across sites, and such a request
// has no Lax cookie: there is no session to find the login in. So the answer is
// sealed into a cookie of its own and read by the GET that follows.

/** What the cookies are called. Each login has its own: there may be two tabs. */
const PREFIX = "__Host-external-auth-";

/** A name as we make it: some of the hash of the state. */
const NAME = /^__Host-external-auth-[\w-]{12}$/;

/** Milliseconds that it is good for. */
const LIFETIME = 60_000;

/** What browsers take of a cookie: name and value together. */
const MAX_COOKIE = 4096;

/** What all of them may take, so that strangers do not fill the headers with them. */
const MAX_COOKIES = 6144;

/** What the answer may consist of. */
const PARAMS = ["code", "state", "iss", "error"] as const;

/** What is nice to have, each at most 1,024 characters long. */
const OPTIONAL_PARAMS = ["error_description", "user"] as const;

const MAX_OPTIONAL = 1024;

/** The `Set-Cookie` header that removes the answer to a state. */
export async function forgetAnswer(state: string): Promise<string> {
  return serializeCookie(cookie(await nameOf(state), "", 0));
}

/**
 * Seals a provider's answer.
 *
 * @returns The `Set-Cookie` headers: for the answer, and for those that there is
 * no room left for; or `null` where it would be too large.
 */
export async function sealAnswer(
  engine: ProviderEngine<unknown>,
  headers: Headers,
  answer: URLSearchParams,
): Promise<string[] | null> {
  const kept = PARAMS.flatMap((name) =>
    answer.getAll(name).slice(0, 2).map((value) => [name, value])
  );
  const optional = OPTIONAL_PARAMS.flatMap((name) => {
    const [value = "", ...more] = answer.getAll(name);
    const isKept = value !== "" && value.length <= MAX_OPTIONAL &&
      more.length === 0;
    return isKept ? [[name, value]] : [];
  });
  const name = await nameOf(answer.get("state") ?? "");
  const room = MAX_COOKIE - name.length;
  let value = await seal(engine, [...kept, ...optional]);
  if (value.length > room) value = await seal(engine, kept);
  if (value.length > room) return null;
  const size = name.length + value.length;
  const others = crowdedOut(headers, name, MAX_COOKIES - size);
  return [
    serializeCookie(cookie(name, value, LIFETIME / 1000)),
    ...others.map((other) => serializeCookie(cookie(other, "", 0))),
  ];
}

async function seal(
  engine: ProviderEngine<unknown>,
  kept: readonly (readonly string[])[],
): Promise<string> {
  const expiresAt = engine.now() + LIFETIME;
  const text = JSON.stringify({ kept, expiresAt });
  return await (await cipherOf(engine)).encrypt(purposeOf(engine), text);
}

/** Opens the answer to a state that a request carries; `null` without one. */
export async function openAnswer(
  engine: ProviderEngine<unknown>,
  headers: Headers,
  state: string,
): Promise<URLSearchParams | null> {
  const name = await nameOf(state);
  const [value = ""] = readCookies(headers.get("Cookie"), name);
  const opened = await (await cipherOf(engine)).decrypt(
    purposeOf(engine),
    value,
  );
  if (opened === null) return null;
  const { kept, expiresAt } = JSON.parse(opened);
  return expiresAt > engine.now() ? new URLSearchParams(kept) : null;
}

/** The older answers that do not fit: browsers send the newest cookie last. */
function crowdedOut(headers: Headers, name: string, room: number): string[] {
  const others = readCookiesBelow(headers.get("Cookie"), PREFIX)
    .filter(([other]) => other !== name && NAME.test(other));
  const gone: string[] = [];
  let left = room;
  for (const [other, value] of others.reverse()) {
    left -= other.length + value.length;
    if (left < 0) gone.push(other);
  }
  return gone;
}

async function nameOf(state: string): Promise<string> {
  return PREFIX + encodeBase64Url(await sha256(state)).slice(0, 12);
}

/** One provider's answer is no other's. */
function purposeOf({ client, options }: ProviderEngine<unknown>): string {
  return JSON.stringify([PREFIX, client.clientId, options.redirectUri]);
}

const ciphers = /* @__PURE__ */ new WeakMap<object, Promise<CookieCipher>>();

function cipherOf(engine: ProviderEngine<unknown>): Promise<CookieCipher> {
  let cipher = ciphers.get(engine);
  if (cipher === undefined) ciphers.set(engine, cipher = createCipher(engine));
  return cipher;
}

async function createCipher(
  { client, options }: ProviderEngine<unknown>,
): Promise<CookieCipher> {
  const secret = options.formPostSecret ?? client.clientSecret;
  // Hashed with its purpose, so that no other use of it has the same key.
  const hash = await sha256(`gatehouse external auth form_post ${secret}`);
  return new CookieCipher([encodeBase64Url(hash)]);
}

/** SameSite=None: the redirect that follows a cross-site POST must carry it. */
function cookie(name: string, value: string, maxAge: number): CookieToSet {
  return {
    name,
    value,
    maxAge,
    path: "/",
    secure: true,
    sameSite: "None",
  };
}
