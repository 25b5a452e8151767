import type { RequestContext } from "./context/context.ts";
import type { ContextEntries } from "./context/context_entry.ts";

/**
 * Runs the rest of the chain and returns its response. It does not reject if a
 * handler throws: the response is the answer to the error, and `context.error`
 * is the error.
 */
export type NextFunction = () => Promise<Response>;

/** What a middleware may return: nothing means the response of what follows. */
export type MiddlewareResult =
  | Response
  | undefined
  | void
  | Promise<Response | undefined | void>;

/**
 * Runs around handlers. It may answer by itself, change the response of
 * `next()`, or return nothing to let the request through.
 *
 * @typeParam Entries What it adds to the context, for the types of the
 * handlers behind it.
 */
export interface Middleware<Entries extends ContextEntries = ContextEntries> {
  /**
   * Handles the request, or passes it on.
   *
   * @param context The context of the request.
   * @param next Runs the rest of the chain. Call it at most once.
   */
  (context: RequestContext, next: NextFunction): MiddlewareResult;
  /** The type of what the middleware provides. Never present at run time. */
  readonly "~provides"?: Entries;
}

/** What one middleware provides; nothing where its type does not say. */
export type EntriesOf<M> = M extends { readonly "~provides"?: infer Entries }
  ? Exclude<Entries, undefined> extends infer Known extends ContextEntries
    ? number extends Known["length"] ? readonly [] : Known
  : readonly []
  : readonly [];

/** What a list of middleware provides, in order. */
export type EntriesOfAll<List> = List extends
  readonly [infer First, ...infer Rest]
  ? readonly [...EntriesOf<First>, ...EntriesOfAll<Rest>]
  : readonly [];
