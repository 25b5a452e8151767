import type { Passkeys } from "./passkeys.ts";

/** The pages of an application that password managers link to. */
export interface PasskeyEndpoints {
  /** The URL of the page that adds a passkey. */
  readonly enroll: string;
  /** The URL of the page that lists the passkeys. */
  readonly manage: string;
}

/**
 * Creates the handler of `/.well-known/passkey-endpoints`, where password managers
 * find the pages that add and list passkeys.
 *
 * @example Serve it
 * ```ts
 * import { passkeyEndpoints } from "@gatehouse/web/auth/passkey";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter();
 * const page = "https://example.com/account/passkeys";
 * router.get(
 *   "/.well-known/passkey-endpoints",
 *   passkeyEndpoints({ enroll: page, manage: page }),
 * );
 *
 * const response = await router.fetch(
 *   "https://example.com/.well-known/passkey-endpoints",
 * );
 * assertEquals(await response.json(), { enroll: page, manage: page });
 * ```
 *
 * @param endpoints The URLs of the pages.
 * @returns The handler.
 * @throws {TypeError} If a URL is not absolute.
 * @see {@link https://www.w3.org/TR/passkey-endpoints/ | A Well-Known URL for Passkey Endpoints}
 */
export function passkeyEndpoints(
  { enroll, manage }: PasskeyEndpoints,
): () => Response {
  for (const url of [enroll, manage]) {
    if (!URL.canParse(url)) {
      throw new TypeError(
        `Cannot create passkey endpoints: "${url}" is not an absolute URL`,
      );
    }
  }
  return () => Response.json({ enroll, manage });
}

/**
 * Creates the handler of `/.well-known/webauthn`, which allows origins outside the
 * RP ID to use its passkeys. Serve it on the RP ID itself.
 *
 * @example Allow a second domain
 * ```ts
 * import { createPasskeys, relatedOrigins } from "@gatehouse/web/auth/passkey";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemoryPasskeyStore } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const passkeys = createPasskeys({
 *   rpId: "example.com",
 *   rpName: "Example",
 *   origins: ["https://example.com", "https://example.de"],
 *   store: createMemoryPasskeyStore(),
 * });
 * const router = createRouter();
 * router.get("/.well-known/webauthn", relatedOrigins(passkeys));
 *
 * const response = await router.fetch("https://example.com/.well-known/webauthn");
 * assertEquals(await response.json(), {
 *   origins: ["https://example.com", "https://example.de"],
 * });
 * ```
 *
 * @param passkeys The passkeys.
 * @returns The handler.
 * @see {@link https://www.w3.org/TR/webauthn-3/#sctn-related-origins | Web Authentication Level 3, section 5.11}
 */
export function relatedOrigins({ origins }: Passkeys): () => Response {
  const urls = origins.filter((origin) => URL.parse(origin)?.host);
  return () => Response.json({ origins: urls });
}
