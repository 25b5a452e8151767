import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccountStore } from "@gatehouse/web/testing";

for (
  const { name, run } of testAccountStore(() => createMemoryAccountStore())
) {
  Deno.test(`createMemoryAccountStore(): ${name}`, run);
}
