import { reportSecurityEvent } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";

/** The login of a session, as stored. */
interface StoredLogin {
  readonly userId?: string | number | undefined;
  readonly id: string;
}

/** Reports the logins and logouts of a request once they are saved. */
export class LoginReports {
  /** `true` after a login was saved. */
  hasLogin = false;
  readonly #context: RequestContext;
  #stored: StoredLogin = { id: "" };

  constructor(context: RequestContext) {
    this.#context = context;
  }

  /** The user of the stored session. */
  get userId(): string | number | undefined {
    return this.#stored.userId;
  }

  /** Remembers the session that was loaded. */
  open(userId: string | number | undefined, id: string): void {
    this.#stored = { userId, id };
  }

  /** Reports a login or a logout, after the session was saved. */
  save(isLogin: boolean, userId: string | number | undefined, id: string) {
    const { id: previousSessionId } = this.#stored;
    if (userId === undefined) this.end();
    this.#stored = { userId, id };
    if (!isLogin) return;
    this.hasLogin = userId !== undefined;
    const ids = { sessionId: id, previousSessionId };
    reportSecurityEvent(this.#context, { action: "login", userId, ...ids });
  }

  /** Reports a logout, after the session has ended. */
  end(): void {
    const { id: sessionId, userId } = this.#stored;
    this.#stored = { id: "" };
    if (userId === undefined) return;
    reportSecurityEvent(this.#context, { action: "logout", userId, sessionId });
  }
}
