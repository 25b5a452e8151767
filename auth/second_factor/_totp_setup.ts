import { decodeBase64Url, encodeBase64Url } from "../../session/secrets.ts";
import { encodeBase32 } from "./base32.ts";
import type { FactorStore, StoredTOTP } from "./_factor_store.ts";
import type {
  EnableTOTPResult,
  TOTPConfirmation,
  TOTPSetup,
} from "./options.ts";
import { findStep } from "./totp.ts";

/** 160 bits, as RFC 4226 recommends (section 4, R6). */
const SECRET_BYTES = 20;

/** The time to finish a setup, in milliseconds. */
const SETUP_TIME = 15 * 60_000;

const PURPOSE = "totp-setup";

/** A setup, encrypted in a hidden field for its user. */
interface Setup {
  readonly secret: string;
  readonly account: string;
  readonly expiresAt: number;
}

type Checked =
  | { readonly ok: true; readonly totp: StoredTOTP }
  | Extract<EnableTOTPResult, { ok: false }>;

/**
 * Sets up authenticator apps. Only the form stores a setup that is not
 * finished.
 */
export class TOTPSetups {
  readonly #issuer: string;
  readonly #factors: FactorStore;
  readonly #now: () => number;

  constructor(issuer: string, factors: FactorStore, now: () => number) {
    // The label of the URI separates the issuer and the account by a colon.
    if (!issuer || issuer.includes(":")) {
      throw new TypeError(
        `Cannot create second factors: issuer "${issuer}" is empty or contains a colon`,
      );
    }
    this.#issuer = issuer;
    this.#factors = factors;
    this.#now = now;
  }

  async create(userId: string | number, account: string): Promise<TOTPSetup> {
    const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
    const secret = encodeBase64Url(bytes);
    const expiresAt = this.#now() + SETUP_TIME;
    const text = JSON.stringify({ secret, account, expiresAt });
    const setup = await this.#factors.seal(userId, PURPOSE, text);
    return this.#setupOf(bytes, account, setup);
  }

  /** Checks that the user's app generates the codes of a setup. */
  async check(
    userId: string | number,
    { setup, code }: TOTPConfirmation,
  ): Promise<Checked> {
    const sealed = typeof setup === "string" ? setup : "";
    const text = await this.#factors.unseal(userId, PURPOSE, sealed);
    const found: Setup | null = text === null ? null : JSON.parse(text);
    const bytes = found === null ? null : decodeBase64Url(found.secret);
    const now = this.#now();
    if (found === null || bytes === null || found.expiresAt <= now) {
      return { ok: false, reason: "expired" };
    }
    const digits = typeof code === "string" ? code.replace(/[\s-]/g, "") : "";
    const step = await findStep(bytes, digits, { now, after: -1 });
    if (step === null) {
      const same = this.#setupOf(bytes, found.account, sealed);
      return { ok: false, reason: "wrong", setup: same };
    }
    const secret = await this.#factors.seal(userId, "totp", found.secret);
    return { ok: true, totp: { secret, step, since: now } };
  }

  #setupOf(bytes: Uint8Array, account: string, setup: string): TOTPSetup {
    const secret = encodeBase32(bytes);
    // `encodeURIComponent` throws on a lone surrogate.
    const issuer = encodeURIComponent(this.#issuer.toWellFormed());
    const name = encodeURIComponent(
      account.replaceAll(":", " ").toWellFormed(),
    );
    const uri = `otpauth://totp/${issuer}:${name}?secret=${secret}` +
      `&issuer=${issuer}&algorithm=SHA1&digits=6&period=30`;
    return { secret, uri, setup };
  }
}
