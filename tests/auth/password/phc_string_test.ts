import {
  type Argon2Engine,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { assertEquals } from "@std/assert";

const SALT = "AAECAwQFBgcICQoLDA0ODw";
const TAG = "PIPyxUZFG3qvyKuJO1IjG0OlCfYrl80ivW9qxIEMHg4";
const COST = "m=512,t=2,p=1";

/** The work of the engine for a user who does not exist. */
const DUMMY = "argon2id 19456 2 1 16 32";

/** The work of the engine for stored strings. Invalid ones cause none. */
const strings: Record<string, string> = {
  [`$argon2id$v=19$${COST}$${SALT}$${TAG}`]: "argon2id 512 2 1 16 32",
  [`$argon2i$v=19$${COST}$${SALT}$${TAG}`]: "argon2i 512 2 1 16 32",
  [`$argon2d$v=19$${COST}$${SALT}$${TAG}`]: "argon2d 512 2 1 16 32",

  // The maximum and the minimum.
  [`$argon2id$v=19$m=1048576,t=20,p=16$${SALT}$${"A".repeat(86)}`]:
    "argon2id 1048576 20 16 16 64",
  [`$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$${"A".repeat(16)}`]:
    "argon2id 8 1 1 8 12",
  [`$argon2id$v=19$${COST}$${"A".repeat(86)}$${TAG}`]: "argon2id 512 2 1 64 32",

  // Over the limits.
  [`$argon2id$v=19$m=1048577,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=4294967295,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=99999999999999999999,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=7,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=15,t=2,p=2$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=0,t=2,p=0$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=0,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=21,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=1024,t=2,p=17$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1$AAAAAAAAAA$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1$${"A".repeat(87)}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1$${SALT}$${"A".repeat(15)}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1$${SALT}$${"A".repeat(87)}`]: DUMMY,

  // Numbers that are only valid in JavaScript.
  [`$argon2id$v=19$m=0x40,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=1e3,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=064,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=+64,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=-64,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64.0,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m= 64,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=٦٤,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=NaN,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=Infinity,t=2,p=1$${SALT}$${TAG}`]: DUMMY,

  // Parameters missing, twice, unknown, out of order.
  [`$argon2id$v=19$m=64,t=2$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,m=64,t=2,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$t=2,m=64,p=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,x=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,data=AAAA$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,__proto__=1$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64=64,t=2,p=1$${SALT}$${TAG}`]: DUMMY,

  // Unknown and invalid keys.
  [`$argon2id$v=19$m=64,t=2,p=1,keyid=AAAA$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,keyid=$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,keyid=A$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$m=64,t=2,p=1,keyid=${"A".repeat(12)}$${SALT}$${TAG}`]: DUMMY,

  // Versions other than that of RFC 9106.
  [`$argon2id$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=16$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=20$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=0x13$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,

  // Base64 that is not canonical.
  [`$argon2id$v=19$${COST}$${SALT}==$${TAG}`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT}$${TAG}=`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT.slice(0, -1)}x$${TAG}`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT}$${TAG.slice(0, -1)}5`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT.replace("A", "-")}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT.replace("A", ".")}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$${COST}$ ${SALT}$${TAG}`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT}$${TAG}\n`]: DUMMY,
  [`$argon2id$v=19$${COST}$$${TAG}`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT}$`]: DUMMY,

  // Other strings.
  [`$argon2id$v=19$${COST}$${SALT}$${TAG}$`]: DUMMY,
  [`$argon2id$v=19$${COST}$${SALT}`]: DUMMY,
  [` $argon2id$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`x$argon2id$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`argon2id$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$Argon2id$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$argon2$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$argon2ds$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$__proto__$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$toString$v=19$${COST}$${SALT}$${TAG}`]: DUMMY,
  [`$${COST}$${SALT}$${TAG}`]: DUMMY,
  "$": DUMMY,
  "$$$$$$": DUMMY,
  "\0": DUMMY,
  "password": DUMMY,
  "5f4dcc3b5aa765d61d8327deb882cf99": DUMMY,
  "{SSHA}AAAA": DUMMY,
  "é\ud800": DUMMY,
};

for (const [hash, work] of Object.entries(strings)) {
  const does = work === DUMMY ? "computes nothing from" : "reads";
  Deno.test(`verifyPassword() ${does} ${JSON.stringify(hash)}`, async () => {
    const { asked, result } = await workFor(hash);
    assertEquals(asked, [work]);
    assertEquals(result, { ok: false, needsRehash: false });
  });
}

Deno.test("verifyPassword() rejects a hostile hash of 10 MB in linear time", async () => {
  for (const piece of ["$", "a=1,", "A", "$argon2id$v=19$m=", "=", "1", "\n"]) {
    const hash = `$argon2id$${piece.repeat(10_000_000 / piece.length)}`;
    assertEquals((await workFor(hash)).asked, [DUMMY]);
  }
});

/** Verifies a password with an engine that only records its work. */
async function workFor(hash: string) {
  const asked: string[] = [];
  const engine: Argon2Engine = {
    name: "listening",
    derive({ variant, memory, passes, parallelism, salt, tagLength }) {
      asked.push(
        `${variant} ${memory} ${passes} ${parallelism} ${salt.length} ${tagLength}`,
      );
      return Promise.resolve(new Uint8Array(tagLength).fill(255));
    },
  };
  const result = await verifyPassword(hash, "x", { engine });
  return { asked, result };
}
