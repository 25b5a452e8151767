import { checkedCaller } from "../../auth/internal.ts";
import { parseJSON, readCookies, ValueStore } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { importKeyMaterial } from "../../session/secrets.ts";
import { decryptJWE, type Encryption } from "./_jwe.ts";
import { MAX_COOKIES, namesOf, type TakeOldSession } from "./old_sessions.ts";

/** Options for {@linkcode takeAuthJSToken}. */
export interface AuthJSTokenOptions {
  /** The `AUTH_SECRET` of Auth.js, or all of its secrets. */
  readonly secret: string | readonly string[];
  /**
   * The name of the cookie, such as `next-auth.session-token` of NextAuth 4. The
   * prefix `__Secure-` is read too.
   *
   * @default {"authjs.session-token"}
   */
  readonly cookie?: string;
  /**
   * Returns the id of the user, if your callback `jwt` does not keep it in `sub`.
   *
   * @default {the claim sub}
   */
  readonly userId?: (claims: Readonly<Record<string, unknown>>) => unknown;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The most chunks of a cookie, each of about 4,000 characters. */
const MAX_CHUNKS = 8;

/** The longest token, in characters. */
const MAX_TOKEN = MAX_CHUNKS * 4_096;

/**
 * Creates a function that takes sessions of Auth.js in an encrypted cookie, its
 * strategy `jwt`, for `adoptSessions`.
 *
 * The old system has no list of these sessions, so the store remembers each one
 * until it expires. Auth.js renews the cookie with each visit: an earlier copy is
 * another session, as it was there. Its time of login is unknown, so sensitive
 * pages ask for a new proof.
 *
 * @example A request without a session
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { takeAuthJSToken } from "@gatehouse/web/accounts/migrate";
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 *
 * const store = createMemoryAccountStore();
 * const take = takeAuthJSToken(store.values, { secret: "the old AUTH_SECRET" });
 * assertEquals(await take(new Request("https://example.com/")), null);
 * ```
 *
 * @param store The `values` of the store of accounts.
 * @param options The secret of Auth.js.
 * @returns The function.
 * @throws {TypeError} If a secret is empty, or the store is eventually consistent.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7518#section-4.5 | RFC 7518, section 4.5}
 */
export function takeAuthJSToken(
  store: SessionStore,
  options: AuthJSTokenOptions,
): TakeOldSession {
  const { cookie = "authjs.session-token", now = Date.now } = options;
  const { userId = ({ sub }) => sub } = options;
  const secrets = [options.secret].flat();
  if (secrets.length === 0 || secrets.some((one) => !one)) {
    throw new TypeError("Cannot take sessions: a secret is empty");
  }
  const use = { owner: "old sessions", race: "who takes one first" };
  const used = new ValueStore<number>(checkedCaller(store, use), {
    prefix: "auth-js-token",
    ttl: (expiresAt) => expiresAt - now(),
    parse: Number,
  });
  return async (request) => {
    const header = request.headers.get("Cookie");
    for (const name of namesOf(cookie)) {
      for (const value of valuesOf(header, name)) {
        const text = await decrypt(value, secrets, name);
        const claims = Object(parseJSON(text ?? ""));
        const id = text === null ? null : userId(claims);
        const expiresAt = Number(claims.exp) * 1000;
        if (typeof id !== "string" || !(expiresAt > now())) continue;
        // Another spelling of the cookie has the same text.
        const key = await used.key(text!);
        if (await used.add(key, expiresAt)) {
          return { userId: id, createdAt: 0 };
        }
      }
    }
    return null;
  };
}

/** Returns the values of a cookie, and the one of its chunks. */
function valuesOf(header: string | null, name: string): string[] {
  const chunks: string[] = [];
  while (chunks.length < MAX_CHUNKS) {
    const [chunk] = readCookies(header, `${name}.${chunks.length}`);
    if (chunk === undefined) break;
    chunks.push(chunk);
  }
  const whole = readCookies(header, name).slice(0, MAX_COOKIES);
  return [...whole, chunks.join("")]
    .filter(({ length }) => 0 < length && length <= MAX_TOKEN);
}

async function decrypt(
  value: string,
  secrets: readonly string[],
  cookie: string,
): Promise<string | null> {
  for (const secret of secrets) {
    const keyOf = (encryption: Encryption) =>
      deriveKey(secret, encryption, cookie);
    const text = await decryptJWE(value, keyOf);
    if (text !== null) return text;
  }
  return null;
}

/** Derives the key of an encryption as Auth.js and NextAuth 4 do. */
async function deriveKey(
  secret: string,
  encryption: Encryption,
  cookie: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const isFour = encryption === "A256GCM";
  const info = isFour
    ? "NextAuth.js Generated Encryption Key"
    : `Auth.js Generated Encryption Key (${cookie})`;
  const encoder = new TextEncoder();
  const bits = await crypto.subtle.deriveBits(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: encoder.encode(isFour ? "" : cookie),
      info: encoder.encode(info),
    },
    await importKeyMaterial(secret),
    isFour ? 256 : 512,
  );
  return new Uint8Array(bits);
}
