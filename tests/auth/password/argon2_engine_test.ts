import { argon2Engines, type Argon2Inputs } from "@gatehouse/web/auth/password";
import { assertArrayIncludes, assertEquals, assertLess } from "@std/assert";

/** The test vectors of RFC 9106, sections 5.1 to 5.3. */
const inputs: Omit<Argon2Inputs, "variant"> = {
  password: new Uint8Array(32).fill(1),
  salt: new Uint8Array(16).fill(2),
  secret: new Uint8Array(8).fill(3),
  associatedData: new Uint8Array(12).fill(4),
  memory: 32,
  passes: 3,
  parallelism: 4,
  tagLength: 32,
};

const vectors = [
  {
    variant: "argon2d",
    section: "5.1",
    tag: "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb",
  },
  {
    variant: "argon2i",
    section: "5.2",
    tag: "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8",
  },
  {
    variant: "argon2id",
    section: "5.3",
    tag: "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659",
  },
] as const;

for (const { variant, section, tag } of vectors) {
  Deno.test(`argon2Engines() compute the ${variant} vector of RFC 9106, section ${section} (spec 5.1.4)`, async () => {
    for (const engine of await argon2Engines()) {
      const derived = await engine.derive({ variant, ...inputs });
      assertEquals([engine.name, hex(derived)], [engine.name, tag]);
    }
  });
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

Deno.test("argon2Engines() ends with the JavaScript engine, which works on every runtime", async () => {
  const names = (await argon2Engines()).map(({ name }) => name);
  assertEquals(names.at(-1), "javascript");
  assertArrayIncludes(["subtle", "node"], names.slice(0, -1));
  assertLess(names.length, 3);
});
