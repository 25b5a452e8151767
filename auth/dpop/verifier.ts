import { checkPositive, MountPrefix } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { createMarks, sweeper } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import {
  ASYMMETRIC_ALGORITHMS,
  type SignedProof,
  verifyProof,
} from "../issuer/mod.ts";
import type {
  DPoPVerification,
  DPoPVerifier,
} from "../middleware/dpop_verifier.ts";
import { checkedCaller } from "../store/checked_caller.ts";
import { ServerNonces } from "./_server_nonces.ts";
import { targetURI } from "./_target_uri.ts";

/** Options for {@linkcode createDPoPVerifier}. */
export interface DPoPVerifierOptions {
  /**
   * The store of the used proofs, such as the one of the sessions. Machines that
   * share it accept each proof once.
   */
  readonly store: SessionStore;

  /**
   * The origin of the API as clients see it, such as `https://api.example`. Set it
   * if a proxy ends TLS or changes the Host header.
   *
   * @default {the origin of the resource server, or of the request's URL}
   */
  readonly origin?: string | undefined;

  /**
   * The secrets of the nonces that the server sends, with at least 32 characters
   * each. The first one encrypts, all of them decrypt. Without them, proofs need
   * no nonce.
   *
   * With nonces, an attacker who could use the client's key for a moment cannot
   * create proofs for later.
   *
   * @default {undefined}
   */
  readonly nonceSecrets?: readonly string[] | undefined;

  /**
   * The longest time since a proof was signed, in seconds, up to 600.
   *
   * @default {60}
   */
  readonly maxAge?: number;

  /**
   * The allowed difference between the client's clock and this one, in seconds,
   * up to 600.
   *
   * @default {30}
   */
  readonly clockTolerance?: number;

  /**
   * The allowed signature algorithms. Symmetric ones are never allowed.
   *
   * @default {RSA, RSA-PSS, ECDSA and EdDSA of all sizes}
   */
  readonly algorithms?: readonly string[];

  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number | undefined;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The maximum length of a proof. One with RSA of 4,096 bits has about 1,900. */
const MAX_LENGTH = 8_192;

/**
 * One JWS in compact form (RFC 7515, section 7.1). Several `DPoP` headers arrive
 * as one with commas, which it does not match.
 */
const JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Creates an object that verifies DPoP proofs, for the option `dpop` of schemes
 * for access tokens.
 *
 * A proof is valid if the key of the token has signed it for this token, method
 * and URL within the last minute, and no request used it before. The query of the
 * URL does not count. Behind a mount, the whole path counts.
 *
 * Trust: the origin of the request's URL must be the one that clients see. Behind
 * a proxy that ends TLS, set `origin`.
 *
 * @example A request without a proof
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createDPoPVerifier } from "@gatehouse/web/auth/access-tokens";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * const dpop = createDPoPVerifier({ store: createMemorySessionStore() });
 * const context = new RequestContext(new Request("https://api.example/notes"));
 *
 * assertEquals(await dpop.verify(context, { token: "a", thumbprint: "b" }), {
 *   ok: false,
 *   error: "invalid_dpop_proof",
 * });
 * ```
 *
 * @param options The store of the used proofs and the origin.
 * @returns The verifier.
 * @throws {TypeError} If the origin or an algorithm is invalid, or the store is
 * only eventually consistent.
 * @throws {RangeError} If a number is out of range, or a secret is too short or
 * easy to guess.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.3 | RFC 9449, checking DPoP proofs}
 */
export function createDPoPVerifier(options: DPoPVerifierOptions): DPoPVerifier {
  const settings = checkOptions(options);
  const { clockTolerance, maxAge, now } = settings;
  const { algorithms, nonceSecrets, origin, store, storeTimeout } = options;
  const nonces = nonceSecrets && new ServerNonces(nonceSecrets);
  const sweep = sweeper(store, now);
  // A proof may come from a clock that is ahead, and go to machines that differ.
  // Its time is in whole seconds, so it works until the end of the last one.
  const ttl = (maxAge + 4 * clockTolerance + 1) * 1000;
  const race = "which request uses a proof first";
  const use = { owner: "DPoP verifier", race, storeTimeout };
  const used = createMarks(checkedCaller(store, use), "dpop", ttl);

  /** Marks a proof as used. Of several concurrent requests, one gets `true`. */
  async function isFirst(thumbprint: string, jti: string): Promise<boolean> {
    sweep();
    const key = await used.key(JSON.stringify([thumbprint, jti]));
    return await used.add(key, true);
  }

  async function refuse(
    error: "invalid_dpop_proof" | "use_dpop_nonce",
  ): Promise<DPoPVerification> {
    const nonce = await nonces?.create(now());
    return { ok: false, error, ...nonce !== undefined && { nonce } };
  }

  return {
    algorithms: [...algorithms ?? ASYMMETRIC_ALGORITHMS],

    async verify(context, { origin: known, thumbprint, token }) {
      const proof = await readProof(context.request, {
        algorithms: algorithms ?? ASYMMETRIC_ALGORITHMS,
        clockTolerance,
        maxAge,
        now: now(),
      });
      const { jti } = proof?.claims ?? {};
      if (
        proof === null || proof.thumbprint !== thumbprint ||
        typeof jti !== "string" || jti === "" ||
        !isForRequest(proof, context, origin ?? known) ||
        proof.claims.ath !== await sha256Base64Url(token)
      ) return await refuse("invalid_dpop_proof");
      const state = await nonces
        ?.check(proof.claims.nonce, now(), clockTolerance * 1000);
      if (state === "invalid") return await refuse("use_dpop_nonce");
      // The last check, so that no other proof costs a write.
      if (!await isFirst(thumbprint, jti)) {
        return await refuse("invalid_dpop_proof");
      }
      return state === "aging"
        ? { ok: true, nonce: await nonces!.create(now()) }
        : { ok: true };
    },
  };
}

async function readProof(
  { headers }: Request,
  expectation: Parameters<typeof verifyProof>[1],
): Promise<SignedProof | null> {
  const header = headers.get("DPoP");
  return header !== null && header.length <= MAX_LENGTH && JWS.test(header)
    ? await verifyProof(header, expectation)
    : null;
}

/** Checks the method and the URL of a proof. */
function isForRequest(
  { claims: { htm, htu } }: SignedProof,
  context: RequestContext,
  origin: string = context.url.origin,
): boolean {
  // The method that the client sent, not the one of methodOverride().
  if (htm !== context.request.method || typeof htu !== "string") return false;
  const target = targetURI(htu);
  return target !== null &&
    pathsOf(context).some((path) => targetURI(origin + path) === target);
}

/** Returns the path that the client requested, with the prefix of mounts. */
function pathsOf(context: RequestContext): string[] {
  const prefix = context.get(MountPrefix);
  const { pathname } = context.url;
  // A mount leaves "/" of both its prefix and its prefix with a slash.
  return prefix !== "" && pathname === "/"
    ? [prefix, `${prefix}/`]
    : [prefix + pathname];
}

function checkOptions(options: DPoPVerifierOptions) {
  const { algorithms = [], clockTolerance = 30, maxAge = 60 } = options;
  const { now = Date.now, origin } = options;
  const fail = (reason: string) => {
    throw new TypeError(`Cannot create DPoP verifier: ${reason}`);
  };
  if (origin !== undefined && targetURI(origin) !== `${origin}/`) {
    fail(`origin "${origin}" is not an origin such as https://api.example`);
  }
  const unknown = algorithms.find((one) =>
    !ASYMMETRIC_ALGORITHMS.includes(one)
  );
  if (unknown !== undefined || options.algorithms?.length === 0) {
    fail(`algorithm "${unknown ?? ""}" is not an asymmetric one`);
  }
  checkPositive("DPoP verifier", "maxAge", maxAge, 600);
  if (clockTolerance !== 0) {
    checkPositive("DPoP verifier", "clockTolerance", clockTolerance, 600);
  }
  return { clockTolerance, maxAge, now };
}
