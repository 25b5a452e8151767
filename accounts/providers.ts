import type { ExternalAuthProvider } from "../auth/mod.ts";
import { flowOf } from "../auth/internal.ts";
import type { Middleware } from "../router/mod.ts";
import type { AccountRoutes } from "./definition/routes.ts";

/** A provider at which users log in. */
export interface AccountProvider {
  /** The name on buttons, such as `Google`. */
  readonly label: string;
  /** The provider. */
  readonly provider: ExternalAuthProvider;
}

/**
 * Checks the providers.
 *
 * @throws {TypeError} If a name or a label is malformed, or the callback is not
 * that of the routes.
 */
export function checkProviders(
  providers: Readonly<Record<string, AccountProvider>> = {},
  origin: string,
  { providerCallback }: AccountRoutes,
): Readonly<Record<string, AccountProvider>> {
  const fail = (name: string, reason: string) => {
    throw new TypeError(
      `Cannot create accounts: provider "${name}" ${reason}`,
    );
  };
  for (const [name, given] of Object.entries(providers)) {
    const { label, provider } = Object(given) as Partial<AccountProvider>;
    if (!/^[a-z][a-z0-9-]{0,29}$/.test(name)) {
      fail(name, "has a name with other characters than a-z, 0-9 and -");
    }
    if (typeof label !== "string" || !/^[^\p{Cc}]{1,40}$/u.test(label)) {
      fail(name, "has no label of 1 to 40 characters");
    }
    const expected = origin + providerCallback.href({ provider: name });
    if (provider?.redirectUri !== expected) {
      fail(name, `needs the redirectUri "${expected}"`);
    }
  }
  return providers;
}

/**
 * Adds the middleware of callbacks, which runs before the protection: a
 * provider may post its response.
 */
export function withCallbacks(
  providers: Readonly<Record<string, AccountProvider>>,
  protection: Middleware<readonly []>,
): Middleware<readonly []> {
  const all = Object.values(providers).map(({ provider }) => provider);
  const [first] = all;
  if (first === undefined) return protection;
  const callbacks = flowOf(first).callbacks(all);
  return (context, next) =>
    callbacks(
      context,
      async () => await protection(context, next) ?? await next(),
    );
}
