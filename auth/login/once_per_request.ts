import type { RequestContext } from "../../router/mod.ts";

/**
 * Creates a function that does its work once for each request and provider.
 * Later calls return the same promise.
 */
export function oncePerRequest<Provider extends object, Result>(
  work: (provider: Provider, context: RequestContext) => Promise<Result>,
): (provider: Provider, context: RequestContext) => Promise<Result> {
  const requests = new WeakMap<
    RequestContext,
    Map<Provider, Promise<Result>>
  >();
  return (provider, context) => {
    let results = requests.get(context);
    if (results === undefined) requests.set(context, results = new Map());
    let result = results.get(provider);
    if (result === undefined) {
      results.set(provider, result = work(provider, context));
    }
    return result;
  };
}
