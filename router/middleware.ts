import type { HandlerContext, RequestContext } from "./context/context.ts";
import type { ContextEntries } from "./context/context_entry.ts";

/**
 * Runs the rest of the chain and returns its response. It does not reject if a
 * handler throws: it returns the response to the error, and `context.error` is
 * the error.
 */
export type NextFunction = () => Promise<Response>;

/** A result of middleware. `undefined` stands for the response of `next()`. */
export type MiddlewareResult =
  | Response
  | undefined
  | void
  | Promise<Response | undefined | void>;

/**
 * Runs around handlers. It may return its own response, change the response of
 * `next()`, or return nothing to let the request through.
 *
 * @typeParam Entries The entries that it adds to the context, for the types of
 * the handlers after it.
 */
export interface Middleware<Entries extends ContextEntries = ContextEntries> {
  /**
   * Handles the request, or passes it on.
   *
   * @param context The context of the request.
   * @param next Runs the rest of the chain. Call it at most once.
   */
  (context: RequestContext, next: NextFunction): MiddlewareResult;
  /** The type of the entries it provides. Never present at run time. */
  readonly "~provides"?: Entries;
}

/**
 * An element of an array of middleware. The router ignores `false` and
 * `undefined`, so that a middleware can have a condition:
 * `isTracing && telemetry()`.
 */
export type MiddlewareEntry = Middleware | false | undefined;

/**
 * The entries that an array of middleware provides, in order. A middleware with a
 * condition may be missing, so it provides none. Neither does a spread array.
 */
export type EntriesOfAll<List> = List extends
  readonly [infer First, ...infer Rest]
  // The tuples keep a union of a middleware and `false` together.
  ? [First] extends [{ readonly "~provides"?: infer Entries }]
    ? Exclude<Entries, undefined> extends infer Known extends ContextEntries
      ? number extends Known["length"] ? EntriesOfAll<Rest>
      : readonly [...Known, ...EntriesOfAll<Rest>]
    : EntriesOfAll<Rest>
  : EntriesOfAll<Rest>
  : List extends readonly [...infer Others, infer Last]
    ? readonly [...EntriesOfAll<Others>, ...EntriesOfAll<readonly [Last]>]
  : readonly [];

/**
 * The context after a middleware, for functions that read the values it
 * provides: `(context: ContextAfter<typeof input>) => context.get(ValidForm)`.
 */
export type ContextAfter<Source extends Middleware> = HandlerContext<
  Record<string, string>,
  EntriesOfAll<readonly [Source]>
>;
