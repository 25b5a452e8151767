import { algorithmNumber, type PasskeyAlgorithm } from "./_cose_key.ts";
import type { PasskeyHint, PasskeyRegistrationJSON } from "./json.ts";
import type { PasskeyFailure } from "./result.ts";
import type { PasskeyStore } from "./store.ts";

export type { PasskeyAlgorithm };

/** An attestation to verify: all other checks of the registration have passed. */
export interface PasskeyAttestation {
  /** The attestation format, such as `packed`, `tpm` or `none`. */
  readonly format: string;
  /** The response of the browser. */
  readonly response: PasskeyRegistrationJSON;
  /** The challenge that the response answers. */
  readonly challenge: string;
  /** The origin of the page. */
  readonly origin: string;
  /** The RP ID. */
  readonly rpId: string;
}

/** Options for {@linkcode createPasskeys}. */
export interface PasskeysOptions {
  /**
   * The RP ID: the domain that the passkeys belong to, such as `example.com`.
   * Pages on it and on its subdomains can use them. It can never change: passkeys
   * of another RP ID do not work.
   */
  readonly rpId: string;

  /** The name of the application, which some browsers show. */
  readonly rpName: string;

  /** The store of the passkeys. */
  readonly store: PasskeyStore;

  /**
   * The origins of the pages that use passkeys. An origin outside the RP ID also
   * needs {@linkcode relatedOrigins}.
   *
   * @default {the RP ID with https}
   */
  readonly origins?: readonly string[];

  /**
   * The origins of pages that show the application in a frame. In frames of other
   * pages, and in browsers that do not name the page, passkeys are refused.
   *
   * @default {[]}
   */
  readonly topOrigins?: readonly string[];

  /**
   * Accepts passkeys in frames if the browser does not name the page around them.
   *
   * Trust: then the header `Content-Security-Policy: frame-ancestors` must allow
   * only the pages of {@linkcode topOrigins}.
   *
   * @default {false}
   */
  readonly allowUnknownTopOrigin?: boolean;

  /**
   * `"required"` if registration, login and confirmation need a PIN or biometrics.
   * With `"preferred"`, check `userVerified` of the result. As a second factor, a
   * passkey never needs them.
   *
   * @default {"required"}
   */
  readonly userVerification?: "required" | "preferred";

  /**
   * The algorithms for new passkeys, the best first.
   *
   * @default {["EdDSA", "ES256", "RS256"]}
   */
  readonly algorithms?: readonly PasskeyAlgorithm[];

  /**
   * The kinds of authenticators that the browser offers first.
   *
   * @default {[]}
   */
  readonly hints?: readonly PasskeyHint[];

  /**
   * Verifies the attestation of a new passkey, which proves the model of the
   * authenticator. Without it, the options ask for no attestation, and any model
   * is accepted.
   *
   * @param attestation The attestation.
   * @returns `true` to accept the passkey. An error means `false`, and goes to
   * `onFailure`.
   * @default {undefined}
   */
  readonly verifyAttestation?: (
    attestation: PasskeyAttestation,
  ) => boolean | Promise<boolean>;

  /**
   * Receives each registration and login that failed, for the log.
   *
   * @param failure The failure.
   * @default {undefined}
   */
  readonly onFailure?: (failure: PasskeyFailure) => void;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The checked options. */
export interface PasskeySettings extends
  Required<
    Omit<PasskeysOptions, "algorithms" | "verifyAttestation">
  > {
  /** The COSE numbers of the algorithms. */
  readonly algorithms: readonly number[];
  readonly verifyAttestation: PasskeysOptions["verifyAttestation"];
}

/**
 * Checks the options.
 *
 * @throws {TypeError} If an option is invalid.
 */
export function checkOptions(options: PasskeysOptions): PasskeySettings {
  const { rpId, rpName, topOrigins = [], algorithms, hints = [] } = options;
  const { allowUnknownTopOrigin = false } = options;
  const { origins = [`https://${rpId}`], userVerification = "required" } =
    options;
  if (!isDomain(rpId)) {
    throw invalid(`rpId "${rpId}" is not a domain`);
  }
  if (!rpName) throw invalid("rpName is empty");
  for (const origin of [...origins, ...topOrigins]) checkOrigin(origin);
  if (!origins.some((origin) => isWithin(origin, rpId))) {
    throw invalid(`no origin is within rpId "${rpId}"`);
  }
  return {
    rpId,
    rpName,
    origins: [...origins],
    topOrigins: [...topOrigins],
    allowUnknownTopOrigin,
    userVerification,
    algorithms: numbersOf(algorithms ?? ["EdDSA", "ES256", "RS256"]),
    hints: [...hints],
    store: options.store,
    verifyAttestation: options.verifyAttestation,
    onFailure: options.onFailure ?? (() => {}),
    now: options.now ?? Date.now,
  };
}

/** Returns `true` for a domain in lower case, and `false` for an address. */
function isDomain(rpId: string): boolean {
  return URL.parse(`https://${rpId}`)?.host === rpId &&
    !/\.\.|\.$|\d$|\]$/.test(rpId);
}

/** Returns `true` if pages of the origin can use the RP ID without a list. */
export function isWithin(origin: string, rpId: string): boolean {
  const host = URL.parse(origin)?.hostname ?? "";
  return host === rpId || host.endsWith(`.${rpId}`);
}

/** Android applications have origins of this form. */
const ANDROID_ORIGIN = /^android:apk-key-hash:[\w-]{43}$/;

function checkOrigin(origin: string): void {
  const url = URL.parse(origin);
  const isLocal = /^http:\/\/(?:.+\.)?localhost(?::|$)/.test(origin);
  const isWeb = url?.origin === origin &&
    (url.protocol === "https:" || isLocal);
  if (!isWeb && !ANDROID_ORIGIN.test(origin)) {
    throw invalid(`"${origin}" is not an https origin`);
  }
}

function numbersOf(algorithms: readonly PasskeyAlgorithm[]): number[] {
  if (algorithms.length === 0) throw invalid("algorithms is empty");
  return algorithms.map((name) => {
    const number = algorithmNumber(name);
    if (number === undefined) throw invalid(`"${name}" is not an algorithm`);
    return number;
  });
}

function invalid(reason: string): TypeError {
  return new TypeError(`Cannot create passkeys: ${reason}`);
}
