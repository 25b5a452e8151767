import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccountStore } from "@gatehouse/web/testing";
import { orderChecks } from "./_order_checks.ts";

for (
  const { name, run } of testAccountStore(() => createMemoryAccountStore())
) {
  Deno.test(`createMemoryAccountStore(): ${name}`, run);
}

for (const [name, run] of orderChecks) {
  Deno.test(`createMemoryAccountStore(): ${name}`, () =>
    run(createMemoryAccountStore()));
}
