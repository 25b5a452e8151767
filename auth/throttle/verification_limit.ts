import { addressBlockOf, networkOf } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { PasswordQueueFullError } from "../password/errors.ts";
import { isUndeclaredProxy } from "./_undeclared_proxy.ts";

/**
 * The maximum number of credentials that are verified for one network at the
 * same time: a quarter of the default queue of password hashes. Without it, one
 * address could fill the queue and keep everyone else from logging in.
 */
const MAX_PER_NETWORK = 16;

/** The seconds after which a client may try again. */
const RETRY_AFTER = 2;

/**
 * The milliseconds after which a verification no longer counts. Workers drop
 * requests of clients that leave, without their `finally`.
 */
const LOST_AFTER = 30_000;

/** The maximum number of networks whose verifications are counted. */
const MAX_NETWORKS = 10_000;

/**
 * The running verifications by network, with the times at which they began. One
 * process is enough: they protect its processor.
 */
const running = /* @__PURE__ */ new Map<string, Map<symbol, number>>();

/**
 * Verifies credentials, unless too many from the client's network are being
 * verified. An IPv6 /48 is one network. Clients without an address, or behind a
 * proxy that `trustedProxies` does not name, have no limit.
 *
 * @throws {PasswordQueueFullError} If there are too many.
 */
export async function verifyInTurn<User>(
  context: RequestContext,
  verify: () => User | Promise<User>,
): Promise<User> {
  const { remoteAddress } = context;
  if (
    remoteAddress === undefined || isUndeclaredProxy(context, remoteAddress)
  ) return await verify();
  const network = addressBlockOf(remoteAddress) ?? networkOf(remoteAddress);
  const turns = turnsOf(network);
  if (turns.size >= MAX_PER_NETWORK) {
    throw new PasswordQueueFullError(turns.size, RETRY_AFTER);
  }
  const turn = Symbol();
  turns.set(turn, performance.now());
  try {
    return await verify();
  } finally {
    turns.delete(turn);
    if (turns.size === 0 && running.get(network) === turns) {
      running.delete(network);
    }
  }
}

/** Returns the verifications of a network, without lost ones. */
function turnsOf(network: string): Map<symbol, number> {
  const turns = running.get(network) ?? new Map<symbol, number>();
  running.set(network, turns);
  const earliest = performance.now() - LOST_AFTER;
  for (const [turn, begunAt] of turns) {
    if (begunAt <= earliest) turns.delete(turn);
  }
  const [oldest] = running.keys();
  if (oldest !== undefined && running.size > MAX_NETWORKS) {
    running.delete(oldest);
  }
  return turns;
}
