import { createContextKey } from "../../../router/internal.ts";
import type { ContextKey, RequestContext } from "../../../router/mod.ts";
import {
  MAX_SKEW,
  middlewareOf,
  STORE_TIMEOUT,
  storeCaller,
  storeOf,
  ValueStore,
} from "../../../session/internal.ts";
import { type Session, SessionStoreError } from "../../../session/mod.ts";
import type { ProviderEngine } from "../engine.ts";

// If two issuers share a callback, the application does not know which of them
// sent a code. A malicious provider can redirect the user to an honest one and
// receive its code (RFC 9700, section 4.4). PKCE and the nonce do not help: the
// malicious provider can relay those of a login that it started.

/** A callback and its issuer. */
type Callback = Pick<ProviderEngine<unknown>, "redirectUri"> & {
  readonly definition: { readonly issuer: string; readonly name: string };
};

/**
 * The callbacks of each application in this process, by path. Other processes
 * learn from the store which issuers a callback has, see `claimCallback`. With
 * sessions in cookies there is no store, so the application must declare all
 * providers.
 */
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
    throw sharedError(purpose, engine, other.definition.name);
  }
  const isKnown = known.some((callback) =>
    callback.definition.issuer === issuer &&
    callback.redirectUri.href === redirectUri.href
  );
  if (isKnown) return;
  known.push({ definition: { issuer, name }, redirectUri });
  if (known.length > MAX_CALLBACKS) known.shift();
}

/** The key of the providers that `externalAuthCallbacks` has compared. */
export const DeclaredCallbacks: ContextKey<
  readonly ProviderEngine<unknown>[]
> = /* @__PURE__ */ createContextKey<readonly ProviderEngine<unknown>[]>([]);

/** The use of a callback in a store: the issuer, its name, the URL and the time. */
type StoredUse = readonly [
  issuer: string,
  name: string,
  redirectUri: string,
  at: number,
];

/**
 * Milliseconds for which a store remembers the use of a callback, at least. An
 * attack needs a pending login at each of two issuers, and those end after ten
 * minutes.
 */
const LIFETIME = 1_200_000;

/** Milliseconds after which a login notes the use of its callback again. */
const RENEWAL = 300_000;

/** The maximum number of uses of one path that a store remembers. */
const MAX_USES = 200;

/**
 * Notes in the session store that a provider uses its callback, for all processes
 * of the application.
 *
 * @throws {TypeError} If another issuer used it in the last minutes, or if there is
 * no store and the provider is not declared.
 * @throws {SessionStoreError} If the store fails.
 */
export async function claimCallback(
  context: RequestContext,
  session: Session,
  engine: ProviderEngine<unknown>,
  purpose: string,
): Promise<void> {
  const store = storeOf(session);
  if (store === null) return assertDeclared(context, engine, purpose);
  const { definition: { issuer, name }, redirectUri } = engine;
  const { href, origin, pathname } = redirectUri;
  const callbacksOf = new ValueStore<StoredUse[]>(
    storeCaller(store, STORE_TIMEOUT),
    { prefix: "callback", ttl: LIFETIME, parse: (text) => JSON.parse(text) },
  );
  const key = await callbacksOf.key(origin + pathname);
  const isNoted = await callbacksOf.update(key, (before) => {
    const now = engine.now();
    const uses = recentUses(before ?? [], now);
    const other = uses.find((use) => isShared(callbackOf(use), engine));
    if (other !== undefined) throw sharedError(purpose, engine, other[1]);
    const own = uses.find((use) => use[0] === issuer && use[2] === href);
    if (own !== undefined && Math.abs(now - own[3]) < RENEWAL) return null;
    const next: StoredUse = [issuer, name, href, now];
    const all = [...uses.filter((use) => use !== own), next];
    return { value: all.slice(-MAX_USES), result: true };
  });
  if (isNoted === undefined) throw new SessionStoreError("save");
}

/**
 * Checks that the application has declared a provider: no process learns which ones
 * the others use, so only a list in the program has all of them.
 */
function assertDeclared(
  context: RequestContext,
  engine: ProviderEngine<unknown>,
  purpose: string,
): void {
  if (context.get(DeclaredCallbacks).includes(engine)) return;
  const { name } = engine.definition;
  throw new TypeError(
    `Cannot ${purpose}: sessions are in cookies and "${name}" is not declared (RFC 9700, section 4.4), put externalAuthCallbacks() with all providers before session()`,
  );
}

/** Returns the uses that may be recent on a machine with another clock. */
function recentUses(uses: readonly StoredUse[], now: number): StoredUse[] {
  return uses.filter(([, , , at]) => now - at < LIFETIME + MAX_SKEW);
}

function callbackOf([issuer, name, href]: StoredUse): Callback {
  return { definition: { issuer, name }, redirectUri: new URL(href) };
}

function sharedError(
  purpose: string,
  { definition: { name }, redirectUri }: ProviderEngine<unknown>,
  other: string,
): TypeError {
  return new TypeError(
    `Cannot ${purpose}: "${name}" and "${other}" are different issuers with one redirectUri "${redirectUri.href}" (RFC 9700, section 4.4), give each a separate path`,
  );
}

/** Returns `true` if responses of both issuers can arrive at one callback. */
export function isShared(one: Callback, other: Callback): boolean {
  const [a, b] = [one.redirectUri, other.redirectUri];
  return one.definition.issuer !== other.definition.issuer &&
    // The origins may differ, as in `isCallbackOf`.
    a.pathname === b.pathname && (isWithin(a, b) || isWithin(b, a));
}

function isWithin(a: URL, b: URL): boolean {
  return [...a.searchParams].every(([name, value]) =>
    b.searchParams.getAll(name).includes(value)
  );
}
