import type { Services } from "./services.ts";
import type { StoredAccount } from "../store/store.ts";

/** The kind of linked logins among the ways into an account. */
export const IDENTITY = "identity";

/** A user at a provider. */
export type Identity = {
  /** The name of the provider in URLs. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** The name that the user recognizes, such as the address at the provider. */
  readonly name: string;
};

/** Returns the id of an identity, which is unique to its issuer and subject. */
export function identityId(
  { issuer, subject }: Pick<Identity, "issuer" | "subject">,
) {
  return JSON.stringify([issuer, subject]);
}

/** Adds an identity as a way into an account, unless an account has it. */
export function addIdentity(
  { now, store }: Pick<Services, "now" | "store">,
  { id, version }: Pick<StoredAccount, "id" | "version">,
  identity: Identity,
): Promise<boolean> {
  return store.addWayIn({
    kind: IDENTITY,
    id: identityId(identity),
    accountId: id,
    name: identity.name,
    createdAt: now(),
    usedAt: null,
    counter: 0,
    data: { provider: identity.provider },
  }, version);
}
