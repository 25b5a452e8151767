import type { RequestContext } from "@gatehouse/web/fetch-router";
import {
  type SecurityEvent,
  type SecurityEventMiddleware,
  securityEvents,
} from "@gatehouse/web/middleware";

/** The security events of an application. */
export class EventLog {
  readonly #events: SecurityEvent[] = [];
  readonly middleware: SecurityEventMiddleware = securityEvents(
    (event) => void this.#events.push(event),
    { now: () => 0 },
  );

  /** Returns the events since the last call. */
  async take(): Promise<SecurityEvent[]> {
    await this.middleware.flush();
    return this.#events.splice(0);
  }
}

/** One reason of a security event, and the way to cause it. */
export interface EventRow {
  /** The file of the library that reports it. */
  readonly from: string;
  /** The action, the outcome and the reason, with spaces between them. */
  readonly event: string;
  /** The id of the user who acted. */
  readonly user?: string;
  /** The id of the user who was changed. */
  readonly target?: string;
  /** Another event that comes after it. */
  readonly then?: string;
  /** Causes the event, after those of its preparations were taken. */
  cause(log: EventLog): Promise<unknown>;
}

/** A handler that responds with nothing. */
export const done = (_context: RequestContext): Response => new Response();
