import type { Middleware } from "@gatehouse/web/fetch-router";
import { type SecurityEvent, securityEvents } from "@gatehouse/web/middleware";

/** Records the security events of an application. */
export class EventRecorder {
  readonly #events: SecurityEvent[] = [];
  readonly #receive = securityEvents((event) => void this.#events.push(event));

  /** The middleware. Its responses wait for their events. */
  readonly middleware: Middleware<readonly []> = async (context, next) => {
    const response = await this.#receive(context, next) ?? await next();
    await this.#receive.flush();
    return response;
  };

  /** Returns the events since the last call: `action reason user → target`. */
  take(): string[] {
    return this.#events.splice(0).map(({ event, user = {} }) => {
      const reason = event.reason === undefined ? "" : ` ${event.reason}`;
      const target = user.target === undefined ? "" : ` → ${user.target.id}`;
      return `${event.action}${reason} ${user.id}${target}`;
    });
  }
}
