import type { RequestContext } from "./context.ts";
import type { ContextEntries } from "./context_entry.ts";

/** Runs what comes after a middleware and returns its response. */
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
   * Handles the request or hands it on.
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

/** Answers a request, or hands it on. */
export type Handle = (
  context: RequestContext,
) => Response | Promise<Response>;

/**
 * Runs middleware around a handler, from the one at `index` on.
 *
 * A middleware that neither answers nor calls `next` is taken to have called
 * it (spec 7). One that returns the promise of `next()` adds none of its own.
 */
export function runChain(
  list: readonly Middleware[],
  context: RequestContext,
  handler: Handle,
  index = 0,
): Promise<Response> {
  let downstream: Promise<Response> | undefined;
  const next = (): Promise<Response> => {
    if (downstream !== undefined) {
      return Promise.reject(
        new TypeError("Cannot call next: it was called before"),
      );
    }
    return downstream = index + 1 === list.length
      ? promised(handler, context)
      : runChain(list, context, handler, index + 1);
  };
  try {
    const result = list[index](context, next);
    if (result !== undefined && result === downstream) return downstream;
    return settled(result, () => downstream ?? next(), () => {
      // Answered without waiting: what fails now has no one left to go to.
      downstream?.catch(() => {});
    });
  } catch (error) {
    return Promise.reject(error);
  }
}

function promised(handler: Handle, context: RequestContext): Promise<Response> {
  try {
    return Promise.resolve(handler(context));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function settled(
  result: MiddlewareResult,
  follow: () => Promise<Response>,
  abandon: () => void,
): Promise<Response> {
  const response = await result;
  if (response === undefined) return await follow();
  abandon();
  if (response instanceof Response) return response;
  // Going on would let a guard with a bug in its answer pass everyone.
  throw new TypeError(
    "Cannot go on after a middleware: it returned neither a Response nor nothing",
  );
}
