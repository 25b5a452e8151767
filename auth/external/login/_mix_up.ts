import { middlewareOf } from "../../../session/internal.ts";
import type { Session } from "../../../session/mod.ts";
import type { ProviderEngine } from "../engine.ts";

// If two issuers share a callback, the application does not know which of them
// sent a code. A malicious provider can redirect the user to an honest one and
// receive its code (RFC 9700, section 4.4). PKCE and the nonce do not help: the
// malicious provider can relay those of a login that it started.

/** A callback and its issuer. */
type Callback = Pick<ProviderEngine<unknown>, "redirectUri"> & {
  readonly definition: { readonly issuer: string; readonly name: string };
};

/** The callbacks of each application in this process, by path. */
const callbacks = /* @__PURE__ */ new WeakMap<
  object,
  Map<string, Callback[]>
>();

/** The maximum number of callbacks with the same path that are remembered. */
const MAX_CALLBACKS = 1000;

/**
 * Remembers that an application uses a provider.
 *
 * @throws {TypeError} If it uses another issuer with the same callback.
 */
export function assertSeparateCallback(
  session: Session,
  engine: ProviderEngine<unknown>,
  purpose: string,
): void {
  const middleware = middlewareOf(session);
  let paths = callbacks.get(middleware);
  if (paths === undefined) callbacks.set(middleware, paths = new Map());
  const { definition: { issuer, name }, redirectUri } = engine;
  const known = paths.get(redirectUri.pathname) ?? [];
  paths.set(redirectUri.pathname, known);
  const other = known.find((callback) => isShared(callback, engine));
  if (other !== undefined) {
    throw new TypeError(
      `Cannot ${purpose}: "${name}" and "${other.definition.name}" are different issuers with one redirectUri "${redirectUri.href}" (RFC 9700, section 4.4), give each a separate path`,
    );
  }
  const isKnown = known.some((callback) =>
    callback.definition.issuer === issuer &&
    callback.redirectUri.href === redirectUri.href
  );
  if (isKnown) return;
  known.push({ definition: { issuer, name }, redirectUri });
  if (known.length > MAX_CALLBACKS) known.shift();
}

/** Returns `true` if responses of both issuers can arrive at one callback. */
export function isShared(one: Callback, other: Callback): boolean {
  const [a, b] = [one.redirectUri, other.redirectUri];
  return one.definition.issuer !== other.definition.issuer &&
    // Without the origin, like isCallbackOf.
    a.pathname === b.pathname && (isWithin(a, b) || isWithin(b, a));
}

function isWithin(a: URL, b: URL): boolean {
  return [...a.searchParams].every(([name, value]) =>
    b.searchParams.getAll(name).includes(value)
  );
}
