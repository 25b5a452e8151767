import type { Transport } from "./external/_bounded_fetch.ts";
import {
  type CachedDocument,
  createCachedDocument,
  type ExternalAuthCache,
  RETRY_AFTER,
} from "./external/_cached_document.ts";
import { readMetadata } from "./external/_discovery.ts";
import { discover, KEYS_TIMES, keySource } from "./external/_engine.ts";
import { fetchKeys, parseKeys, type ProviderKeys } from "./external/_keys.ts";

/** Whose keys they are, and where. */
export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly jwksUri?: string;
  readonly cache?: ExternalAuthCache;
  readonly now: () => number;
}

/** Gets keys that are at hand, or throws. */
export type IssuerKeys = () => Promise<CachedDocument<ProviderKeys>>;

/**
 * Finds the keys of an issuer. Where they can't be had, the error is kept for a
 * while: tokens that anybody can make up must not each ask, and wait for, an
 * issuer that is away.
 */
export function createIssuerKeys(
  options: IssuerKeysOptions,
  transport: Transport,
): IssuerKeys {
  const { now } = options;
  const source = sourceOf(options, transport);
  let failure: { readonly error: unknown; readonly at: number } | undefined;
  return async () => {
    const time = now();
    if (failure !== undefined) {
      const age = time - failure.at;
      if (age >= 0 && age < RETRY_AFTER) throw failure.error;
      // This one asks again. The others need not wait with it.
      failure = { error: failure.error, at: time };
    }
    try {
      const keys = await source();
      await keys.get();
      failure = undefined;
      return keys;
    } catch (error) {
      failure = { error, at: now() };
      throw error;
    }
  };
}

function sourceOf(
  { cache, issuer, jwksUri, now }: IssuerKeysOptions,
  transport: Transport,
): IssuerKeys {
  if (jwksUri === undefined) {
    // Where nobody logs in there need be no endpoint for it.
    const metadata = discover(
      issuer,
      transport,
      { cache, now },
      (body) => readMetadata(body, issuer, transport.allowInsecureLoopback),
    );
    return keySource(metadata, transport, { cache, now });
  }
  const keys = createCachedDocument({
    key: `gatehouse:keys:${jwksUri}`,
    ...KEYS_TIMES,
    load: () => fetchKeys(transport, jwksUri),
    parse: parseKeys,
    now,
    cache,
  });
  return () => Promise.resolve(keys);
}
