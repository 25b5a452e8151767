import {
  AccountStoreError,
  createSQLAccountStore,
} from "@gatehouse/web/accounts/store";
import { assertRejects } from "@std/assert";

Deno.test("a block whose stored end is malformed fails, and does not end", async () => {
  const row = { id: "a1", fields: "{}", disabled_reason: "spam" };
  const store = createSQLAccountStore((sql) =>
    sql.includes(" u WHERE ") ? [{ ...row, disabled_until: "soon" }] : []
  );
  await assertRejects(() => store.find("a1"), AccountStoreError);
});
