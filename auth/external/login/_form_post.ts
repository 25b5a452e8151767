import { redirect } from "../../../router/internal.ts";
import type { RequestContext } from "../../../router/mod.ts";
import {
  type CookieToSet,
  readCookies,
  readCookiesBelow,
  SecretBox,
  serializeCookie,
} from "../../../session/internal.ts";
import { sha256Base64Url } from "../../../session/secrets.ts";
import type { ProviderEngine } from "../engine.ts";
import { readForm } from "../read_form.ts";

// With `form_post` the browser posts the provider's response from the provider's
// site. Such a request has no Lax cookie and so no session. The response is
// sealed into a cookie, and the GET that follows the 303 reads it.

/** The prefix of the cookies. Each login has one: there may be two tabs. */
const PREFIX = "__Host-external-auth-";

/** Matches the name of a cookie: the prefix and a part of the state's hash. */
const NAME = /^__Host-external-auth-[\w-]{12}$/;

/** Milliseconds until a cookie expires. */
const LIFETIME = 60_000;

/** The maximum size of a cookie in browsers: name and value together. */
const MAX_COOKIE = 4096;

/** The maximum size of all of them: attackers must not fill the headers. */
const MAX_COOKIES = 6144;

/** The parameters of a response. */
const PARAMS = ["code", "state", "iss", "error"] as const;

/** Further parameters, which are dropped if there is no room. */
const OPTIONAL_PARAMS = ["error_description", "user"] as const;

/** The maximum length of an optional parameter, in characters. */
const MAX_OPTIONAL = 1024;

/**
 * Receives a response that the browser posts from the provider's site.
 *
 * @returns A 303 to the callback with the sealed response, or a 400.
 */
export async function receiveFormPost(
  engine: ProviderEngine<unknown>,
  context: RequestContext,
): Promise<Response> {
  const form = await readForm(context);
  const cookies = form &&
    await sealResponse(engine, context.request.headers, form);
  if (form === null || cookies === null) {
    return await context.createErrorResponse({ status: 400 });
  }
  const location = new URL(engine.redirectUri);
  // The cookie only works for the login that the URL names.
  location.searchParams.set("state", form.get("state") ?? "");
  const response = redirect(location.pathname + location.search, 303);
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}

/** Returns the `Set-Cookie` header that removes the response to a state. */
export async function deleteResponse(state: string): Promise<string> {
  return serializeCookie(cookie(await cookieName(state), "", 0));
}

/**
 * Seals a response.
 *
 * @returns The `Set-Cookie` headers for the response and for older responses
 * that have to make room, or `null` if the response is too large.
 */
async function sealResponse(
  engine: ProviderEngine<unknown>,
  headers: Headers,
  form: URLSearchParams,
): Promise<string[] | null> {
  const params = PARAMS.flatMap((name) =>
    form.getAll(name).slice(0, 2).map((value) => [name, value])
  );
  const optional = OPTIONAL_PARAMS.flatMap((name) => {
    const [value = "", ...more] = form.getAll(name);
    const isKept = value !== "" && value.length <= MAX_OPTIONAL &&
      more.length === 0;
    return isKept ? [[name, value]] : [];
  });
  const name = await cookieName(form.get("state") ?? "");
  const room = MAX_COOKIE - name.length;
  let value = await seal(engine, [...params, ...optional]);
  if (value.length > room) value = await seal(engine, params);
  if (value.length > room) return null;
  const size = name.length + value.length;
  const evicted = evictedCookies(headers, name, MAX_COOKIES - size);
  return [
    serializeCookie(cookie(name, value, LIFETIME / 1000)),
    ...evicted.map((other) => serializeCookie(cookie(other, "", 0))),
  ];
}

async function seal(
  engine: ProviderEngine<unknown>,
  params: readonly (readonly string[])[],
): Promise<string> {
  const expiresAt = engine.now() + LIFETIME;
  const json = JSON.stringify({ params, expiresAt });
  return await (await cipherOf(engine)).encrypt(purposeOf(engine), json);
}

/** Opens the sealed response to a state, or returns `null`. */
export async function openResponse(
  engine: ProviderEngine<unknown>,
  headers: Headers,
  state: string,
): Promise<URLSearchParams | null> {
  const name = await cookieName(state);
  const [value = ""] = readCookies(headers.get("Cookie"), name);
  const json = await (await cipherOf(engine)).decrypt(
    purposeOf(engine),
    value,
  );
  if (json === null) return null;
  const { params, expiresAt } = JSON.parse(json);
  return expiresAt > engine.now() ? new URLSearchParams(params) : null;
}

/**
 * Returns the oldest cookies for which there is no room. Newer ones are last.
 */
function evictedCookies(
  headers: Headers,
  name: string,
  room: number,
): string[] {
  const others = readCookiesBelow(headers.get("Cookie"), PREFIX)
    .filter(([other]) => other !== name && NAME.test(other));
  const evicted: string[] = [];
  let left = room;
  for (const [other, value] of others.reverse()) {
    left -= other.length + value.length;
    if (left < 0) evicted.push(other);
  }
  return evicted;
}

async function cookieName(state: string): Promise<string> {
  return PREFIX + (await sha256Base64Url(state)).slice(0, 12);
}

/** Binds a sealed response to its provider. */
function purposeOf({ client, options }: ProviderEngine<unknown>): string {
  return JSON.stringify([PREFIX, client.clientId, options.redirectUri]);
}

function cipherOf(engine: ProviderEngine<unknown>): Promise<SecretBox> {
  return engine.formPostCipher ??= createCipher(engine);
}

async function createCipher(
  { client, options }: ProviderEngine<unknown>,
): Promise<SecretBox> {
  const secret = options.formPostSecret ?? client.clientSecret;
  // The hash includes the purpose, so that other uses of the secret have other
  // keys.
  const hash = await sha256Base64Url(
    `gatehouse external auth form_post ${secret}`,
  );
  return new SecretBox([hash]);
}

/** Has SameSite=None: the GET follows a redirect from the provider's site. */
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
