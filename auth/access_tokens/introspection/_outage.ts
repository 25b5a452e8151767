import { SingleFlight } from "../../../router/internal.ts";
import { type ExternalAuthError, RetryPause } from "../../issuer/mod.ts";

/** The milliseconds after which a waiting request sends its own probe. */
const LOST_AFTER = 2_000;

/**
 * The statuses that may concern all tokens: no response at all, a client that the
 * issuer does not accept, and 503.
 */
const UNAVAILABLE: readonly (number | undefined)[] = [undefined, 401, 503];

/**
 * Knows whether an issuer is unavailable. Anyone can send a token that an issuer
 * fails to handle, so such a failure is only a suspicion. The next request sends a
 * probe, which does not depend on a client, and its failure begins the outage.
 */
export class Outage {
  readonly #probe: () => Promise<unknown>;
  /** The pause that a failed probe starts, because it confirms the outage. */
  readonly #pause: RetryPause;
  readonly #flight = new SingleFlight<boolean>(LOST_AFTER);
  #isSuspected = false;

  /**
   * @param probe Asks the issuer. Its error is an `ExternalAuthError` of
   * {@linkcode isUnavailable} if the issuer is unavailable.
   * @param now The clock.
   */
  constructor(probe: () => Promise<unknown>, now: () => number) {
    this.#probe = probe;
    this.#pause = new RetryPause(now);
  }

  /** Notes that the issuer answered. */
  end(): void {
    this.#isSuspected = false;
    this.#pause.clear();
  }

  /** Notes a failure with the token of a client. */
  suspect(error: ExternalAuthError): void {
    this.#isSuspected = true;
    // No client can cause the other errors, for example those of the metadata.
    if (error.code !== "introspection_failed") this.#pause.start();
  }

  /**
   * Returns `false` during an outage, in which one request in five seconds sends
   * a probe.
   */
  async isOver(): Promise<boolean> {
    if (!this.#isSuspected) return true;
    if (this.#pause.isRunning) return false;
    if (this.#pause.isSet && this.#flight.isRunning) return false;
    return await this.#flight.run(() => this.#try());
  }

  async #try(): Promise<boolean> {
    try {
      await this.#probe();
    } catch (error) {
      if (isUnavailable(error as ExternalAuthError)) {
        this.#isSuspected = true;
        this.#pause.start();
        return false;
      }
    }
    this.end();
    return true;
  }
}

/**
 * Returns `true` if a failure may concern all tokens. The issuer's answer to a
 * token is about this token only.
 */
export function isUnavailable({ code, status }: ExternalAuthError): boolean {
  return code !== "introspection_failed" || UNAVAILABLE.includes(status);
}
