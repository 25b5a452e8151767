/** The passkeys among the ways into accounts, by the contract of their store. */
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { testPasskeyStore } from "@gatehouse/web/testing";
import { createPasskeyStore } from "../../accounts/actions/passkey_store.ts";

const store: AccountStore = createMemoryAccountStore();

async function createUserId(): Promise<string> {
  const id = crypto.randomUUID();
  await store.create({
    id,
    email: `${id}@example.com`,
    emailVerified: true,
    name: "Ada",
    role: "user",
    language: null,
    fields: {},
    passwordHash: "",
    createdAt: 0,
  });
  return id;
}

const tests = testPasskeyStore(() => createPasskeyStore(store), {
  version: () => 1,
  createUserId,
});
for (const { name, run } of tests) {
  Deno.test(`passkeys of accounts: ${name}`, run);
}
