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
  BoundToken,
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
  return new ProofVerifier(options);
}

/** The result of a check of a proof, with the key of a valid one. */
export type KeyVerification =
  | Extract<DPoPVerification, { readonly ok: true }> & {
    /** The thumbprint of the key. */
    readonly thumbprint: string;
  }
  | Extract<DPoPVerification, { readonly ok: false }>;

/** Verifies the proofs of requests with access tokens, and to token endpoints. */
export class ProofVerifier implements DPoPVerifier {
  readonly algorithms: readonly string[];
  readonly #settings: ReturnType<typeof checkOptions>;
  readonly #origin: string | undefined;
  readonly #nonces: ServerNonces | undefined;
  readonly #used: ReturnType<typeof createMarks>;
  readonly #sweep: () => void;

  constructor(options: DPoPVerifierOptions) {
    const settings = checkOptions(options);
    const { nonceSecrets, store, storeTimeout } = options;
    this.algorithms = [...options.algorithms ?? ASYMMETRIC_ALGORITHMS];
    this.#settings = settings;
    this.#origin = options.origin;
    this.#nonces = nonceSecrets && new ServerNonces(nonceSecrets);
    // The client's clock may be ahead, and the clocks of the machines may
    // differ. The time of the proof is in whole seconds, so it works until the
    // end of the last one.
    const ttl = (settings.maxAge + 4 * settings.clockTolerance + 1) * 1000;
    const race = "which request uses a proof first";
    const use = { owner: "DPoP verifier", race, storeTimeout };
    this.#used = createMarks(checkedCaller(store, use), "dpop", ttl);
    this.#sweep = sweeper(store, settings.now);
  }

  async verify(
    context: RequestContext,
    bound: BoundToken,
  ): Promise<DPoPVerification> {
    const result = await this.verifyKey(context, bound);
    if (!result.ok) return result;
    const { thumbprint: _thumbprint, ...accepted } = result;
    return accepted;
  }

  /**
   * Verifies the proof of a request, and returns its key. A request to a token
   * endpoint has no access token, and its key may be unknown before.
   */
  async verifyKey(
    context: RequestContext,
    { origin, thumbprint, token }: Partial<BoundToken>,
  ): Promise<KeyVerification> {
    const { clockTolerance, maxAge, now } = this.#settings;
    const { algorithms } = this;
    const expectation = { algorithms, clockTolerance, maxAge, now: now() };
    const proof = await readProof(context.request, expectation);
    const { ath, jti, nonce } = proof?.claims ?? {};
    if (
      proof === null || typeof jti !== "string" || jti === "" ||
      thumbprint !== undefined && proof.thumbprint !== thumbprint ||
      !isForRequest(proof, context, this.#origin ?? origin) ||
      token !== undefined && ath !== await sha256Base64Url(token)
    ) return await this.#refuse("invalid_dpop_proof");
    const state = await this.#nonces
      ?.check(nonce, now(), clockTolerance * 1000);
    if (state === "invalid") return await this.#refuse("use_dpop_nonce");
    // This check comes last, so that no other proof costs a write.
    if (!await this.#use(proof.thumbprint, jti)) {
      return await this.#refuse("invalid_dpop_proof");
    }
    const accepted = { ok: true, thumbprint: proof.thumbprint } as const;
    return state === "aging"
      ? { ...accepted, ...await this.createNonce() }
      : accepted;
  }

  /** Creates a nonce for a response, or returns an empty object without nonces. */
  async createNonce(): Promise<{ readonly nonce?: string }> {
    const nonce = await this.#nonces?.create(this.#settings.now());
    return nonce === undefined ? {} : { nonce };
  }

  /**
   * Marks a proof as used. If requests are concurrent, one of them gets `true`.
   */
  async #use(thumbprint: string, jti: string): Promise<boolean> {
    this.#sweep();
    const key = await this.#used.key(JSON.stringify([thumbprint, jti]));
    return await this.#used.add(key, true);
  }

  async #refuse(
    error: "invalid_dpop_proof" | "use_dpop_nonce",
  ): Promise<Extract<DPoPVerification, { readonly ok: false }>> {
    return { ok: false, error, ...await this.createNonce() };
  }
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
  // The proof names the method that the client sent, not that of
  // `methodOverride()`.
  if (htm !== context.request.method || typeof htu !== "string") return false;
  const target = targetURI(htu);
  return target !== null &&
    pathsOf(context).some((path) => targetURI(origin + path) === target);
}

/** Returns the path that the client requested, with the prefix of mounts. */
function pathsOf(context: RequestContext): string[] {
  const prefix = context.get(MountPrefix);
  const { pathname } = context.url;
  // A mount removes its prefix, with or without a slash, and leaves "/" in both
  // cases.
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
