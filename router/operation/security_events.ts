import type { Middleware, RequestContext } from "../mod.ts";
import { RequestIds } from "./request_ids.ts";
import {
  type SecurityAction,
  type SecurityReport,
  withReceiver,
} from "./security_event.ts";
import { LaterWork } from "./later_work.ts";
import { endsWithClient, waitUntilOf } from "./wait_until.ts";

/** An event with the field names of the Elastic Common Schema. */
export interface SecurityEvent {
  /** The time as an ISO 8601 string. */
  readonly "@timestamp": string;
  /** The event. */
  readonly event: {
    /** The kind of document. */
    readonly kind: "event";
    /** The action. */
    readonly action: SecurityAction;
    /** The categories of the schema. */
    readonly category: readonly string[];
    /** The types of the schema. */
    readonly type: readonly string[];
    /** The outcome. */
    readonly outcome: "success" | "failure";
    /** The reason, such as `"wrong"`. */
    readonly reason?: string;
  };
  /** The user who acted, and the user who was changed. */
  readonly user?: {
    /** The id of the user who acted. */
    readonly id?: string;
    /** The user who was changed. */
    readonly target?: { readonly id: string };
  };
  /** The client's address. */
  readonly client?: { readonly ip: string };
  /** The request. */
  readonly http: {
    /** The method, and the id that the logger created. */
    readonly request: { readonly method: string; readonly id?: string };
    /** The pattern of the route, if one matched. */
    readonly route?: string;
  };
  /** The trace that the logger continued or began. */
  readonly trace?: { readonly id: string };
}

/** Options for {@linkcode securityEvents}. */
export interface SecurityEventOptions {
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The middleware of {@linkcode securityEvents}. */
export interface SecurityEventMiddleware
  extends Middleware<readonly []>, AsyncDisposable {
  /**
   * Waits for the deliveries in progress. Call it before the process ends.
   *
   * @returns A promise that resolves then. It never rejects.
   */
  flush(): Promise<void>;
  /** Calls `flush`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a middleware that delivers security events after the response. Put it
 * directly after the logger, before all guards.
 *
 * Events have the user's id, the address and the ids of the logger, and never a
 * secret. A failed login has no account name, because people type passwords into
 * the wrong field.
 *
 * If the function fails, `console.error` prints the error and the event. At most
 * 10,000 events wait: it prints when further ones are dropped, and their number
 * after a delivery has ended. On Workers, the request stays alive until the
 * delivery ends.
 *
 * @example Recording refused requests
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { requireAuth } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { securityEvents } from "@gatehouse/web/middleware";
 *
 * const lines: string[] = [];
 * const events = securityEvents(({ event }) => {
 *   lines.push(`${event.action} ${event.outcome} ${event.reason}`);
 * });
 * const router = createRouter({ middleware: [events] });
 * router.get("/account", requireAuth(), () => new Response("Account"));
 * await router.fetch("https://example.com/account");
 * await events.flush();
 *
 * assertEquals(lines, ["access-denied failure unauthenticated"]);
 * ```
 *
 * @param deliver Stores or sends an event.
 * @param options The clock.
 * @returns The middleware.
 * @throws {TypeError} If `deliver` is not a function.
 * @see {@link https://www.elastic.co/docs/reference/ecs/ecs-event | ECS, Event Fields}
 */
export function securityEvents(
  deliver: (event: SecurityEvent) => void | Promise<void>,
  options: SecurityEventOptions = {},
): SecurityEventMiddleware {
  if (typeof deliver !== "function") {
    throw new TypeError(
      "Cannot deliver security events: the first argument is not a function",
    );
  }
  const { now = Date.now } = options;
  const delivery = new Delivery(deliver);

  const middleware: Middleware = (context, next) => {
    let waiting: SecurityEvent[] | null = [];
    const receive = (report: SecurityReport, inner: RequestContext) => {
      const event = createEvent(report, inner, now());
      if (waiting === null) delivery.start([event], context);
      else waiting.push(event);
    };
    const finish = () => {
      const events = waiting ?? [];
      waiting = null;
      if (events.length > 0) delivery.start(events, context);
    };
    const response = withReceiver(context, receive, next);
    // Returning the same promise saves the router from creating another one.
    const finished = response.then(finish, finish);
    // A client that leaves early could otherwise suppress its own events.
    if (endsWithClient) waitUntilOf(context)?.(finished);
    return response;
  };
  return Object.assign(middleware as Middleware<readonly []>, {
    flush: () => delivery.flush(),
    [Symbol.asyncDispose]: () => delivery.flush(),
  });
}

/** The maximum number of events that wait for their delivery. */
const MAX_WAITING = 10_000;

/** The deliveries of one middleware. */
class Delivery {
  readonly #deliver: (event: SecurityEvent) => void | Promise<void>;
  readonly #running = new LaterWork();
  #dropped = 0;

  constructor(deliver: (event: SecurityEvent) => void | Promise<void>) {
    this.#deliver = deliver;
  }

  /** Delivers the events of a request, in their order. */
  start(events: readonly SecurityEvent[], context: RequestContext): void {
    const accepted = events.slice(0, MAX_WAITING - this.#running.size);
    if (accepted.length < events.length) {
      this.#drop(events.length - accepted.length);
    }
    if (accepted.length === 0) return;
    const running = this.#deliverAll(accepted)
      .finally(() => this.#reportDropped());
    this.#running.add(context, running, accepted.length);
  }

  flush(): Promise<void> {
    return this.#running.flush();
  }

  async #deliverAll(events: readonly SecurityEvent[]): Promise<void> {
    // The response must not wait for a synchronous function either.
    await new Promise((resolve) => setTimeout(resolve));
    for (const event of events) {
      try {
        await this.#deliver(event);
      } catch (error) {
        console.error(error);
        console.error(
          `Cannot deliver security event: ${JSON.stringify(event)}`,
        );
      }
    }
  }

  #drop(count: number): void {
    // The first drop is reported at once, because a delivery that hangs would
    // never report it.
    if (this.#dropped === 0) {
      console.error("Cannot keep up with security events: dropping new ones");
    }
    this.#dropped += count;
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    console.error(
      `Cannot keep up with security events: dropped ${this.#dropped}`,
    );
    this.#dropped = 0;
  }
}

const USER_CHANGE = [["iam"], ["user", "change"]] as const;

/** The categories and types of each action (ECS, Categorization Fields). */
const KINDS: Record<
  SecurityAction,
  readonly [category: readonly string[], type: readonly string[]]
> = {
  "login": [["authentication"], ["start"]],
  "lockout": [["authentication"], ["info"]],
  "logout": [["authentication", "session"], ["end"]],
  "logout-everywhere": [["session"], ["end"]],
  "session-end": [["session"], ["end"]],
  "access-denied": [["web"], ["access"]],
  "token-reuse": [["intrusion_detection"], ["denied"]],
  "password-change": USER_CHANGE,
  "factor-add": USER_CHANGE,
  "factor-remove": USER_CHANGE,
  "key-create": [["iam"], ["creation"]],
  "key-revoke": [["iam"], ["deletion"]],
  "role-change": USER_CHANGE,
  "data-export": [["iam"], ["user", "info"]],
  "email-send": [["email"], ["info"]],
};

/** The maximum number of characters in a reason or an id. */
const MAX_LENGTH = 100;

function createEvent(
  report: SecurityReport,
  context: RequestContext,
  time: number,
): SecurityEvent {
  const { action, outcome = "success", reason, userId, targetId } = report;
  const [category, type] = KINDS[action];
  const { remoteAddress, routePath } = context;
  const ids = context.has(RequestIds) ? context.get(RequestIds) : undefined;
  return {
    "@timestamp": new Date(time).toISOString(),
    event: {
      kind: "event",
      action,
      category,
      type,
      outcome,
      ...reason !== undefined && { reason: shorten(reason) },
    },
    ...(userId ?? targetId) !== undefined && {
      user: {
        ...userId !== undefined && { id: shorten(userId) },
        ...targetId !== undefined && { target: { id: shorten(targetId) } },
      },
    },
    ...remoteAddress !== undefined && { client: { ip: remoteAddress } },
    http: {
      request: {
        method: shorten(context.request.method),
        ...ids && { id: ids.requestId },
      },
      ...routePath !== undefined && { route: routePath },
    },
    ...ids && { trace: { id: ids.traceId } },
  };
}

function shorten(value: string | number | bigint): string {
  return String(value).slice(0, MAX_LENGTH);
}
