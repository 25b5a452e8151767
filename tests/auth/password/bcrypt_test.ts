import { verifyPassword } from "@gatehouse/web/auth/password";
import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
import { assertEquals } from "@std/assert";

const MOVE = { ok: true, needsRehash: true };

const WRONG = { ok: false, needsRehash: false };

const options = { readers: [readBcrypt] };

Deno.test("verifyPassword() rejects bcrypt without its reader", async () => {
  const hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
  assertEquals(await verifyPassword(hash, "U*U"), WRONG);
});

Deno.test("readBcrypt() rejects passwords that bcrypt confuses with others", async () => {
  // Both hashes are correct for these passwords, and for others.
  const long = "$2b$04$FVDS0q1TOMnjUCBFe6Xm1OYUboNhQ.oaAFsyQI/hmDYt5eKojfvNi";
  const nul = "$2b$04$uOKuirUvCdOhfGVFyhbDne.arBke7k8YutiO5CzK3ty7zs3YSEly2";
  assertEquals(await verifyPassword(long, "é".repeat(36), options), MOVE);
  for (const password of ["é".repeat(36) + "x", "é".repeat(37)]) {
    assertEquals(await verifyPassword(long, password, options), WRONG);
  }
  assertEquals(await verifyPassword(nul, "a", options), MOVE);
  assertEquals(await verifyPassword(nul, "a\0a", options), WRONG);
});
