import { createDPoPKey, parseDPoPKey } from "@gatehouse/web/auth/access-tokens";
import { assertEquals } from "@std/assert";

const { d, ...publicPart } = await createDPoPKey();

const values: unknown[] = [
  null,
  undefined,
  "",
  1,
  [],
  {},
  publicPart,
  { ...publicPart, d: 1 },
  { ...publicPart, d: `${d}=` },
  { ...publicPart, d, crv: "P-384" },
  { ...publicPart, d, kty: "RSA" },
  { ...publicPart, d, x: "" },
];

for (const value of values) {
  Deno.test(`parseDPoPKey() returns null for ${JSON.stringify(value)?.slice(0, 40)}`, () => {
    assertEquals(parseDPoPKey(value), null);
  });
}
