import {
  type Argon2Engine,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
import {
  createDeviseReader,
  createFirebaseReader,
  readWordPress,
} from "@gatehouse/web/auth/password/readers";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";

/** The settings of new hashes. */
const CHEAP = { memory: 16, passes: 1 };

const MOVE = { ok: true, needsRehash: true };
const WRONG = { ok: false, needsRehash: false };

/** The public example project of Firebase. */
const SIGNER_KEY =
  "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==";
const firebase = createFirebaseReader({ signerKey: SIGNER_KEY });
const devise = createDeviseReader({ pepper: "a1b2".repeat(32) });
const readers = [readBcrypt, devise, firebase, readWordPress];

/**
 * Hashes that the products created, at the versions in the names. No product
 * writes the hash of the first versions of Lucia today: `LegacyScrypt` reads it.
 */
const known = [
  {
    name: "scrypt of better-auth 1.7",
    hash:
      "76a3219cfc7f5abf602ebb8b5731a103:5c313f7721f8f61b4b41290bd69186ef205416ab3330198d3955a394e54dd9750f97e5b6aef532177d024953e40552b6d33070aebe7dbc6376833b6d0d274352",
  },
  {
    name: "scrypt of better-auth 1.7 with a password that NFKC changes",
    password: "ﬁve passwords",
    hash:
      "95ec5981f94c071cf97610cc7cd53482:78f380d98dbaf69e6573d9dd66ec7de1eeea74237cf582784f50afa0cd2bf02b66d1e0b42828ca2d46527921e5bf06e77ed22074c4faf1664446c913bd82e7a8",
  },
  {
    name: "scrypt of Lucia 3",
    hash:
      "85a8aae0fbe77c6b4d366d19b55f20cc:0398dc7dc68cad0dcb0a45208472702b37135eaa0034bec32edb3638cdeff584c7f15df2bb46535250fe60191ea43647594654b6f07548ba416a5ddbb1aa4961",
  },
  {
    name: "LegacyScrypt of Lucia 3",
    hash:
      "s2:e6e8f74db312f51b0565e12cbe66e7a3:20a68dde1e11663f74384f0c5106eab4d6f72dba6041f4ebea835d75b29b408be7da28d16c34ebce6698a58627e3d3e45523029d9762a4ac71145f7bdb595b4b",
  },
  {
    name: "scrypt of the first versions of Lucia, with a smaller block size",
    hash:
      "Zq3xY7bLm0Kd9sQa:641e1340246d8d505599743d8b4740d881baa0382b5aec8ef6ce18ed2b778d1c7521b6e500773744b10f84978efa24611bdf07a321290c64435f1dba217699e1",
  },
  {
    name: "scrypt of Oslo 1",
    hash:
      "8023e1f1b798a4a831fb3ca5192c7965:6345dabd902cd9a35e45654facc35510c0f620da0d8e1fad3a56d590d04cc324a3580b9ed3cc8e8ed3a17ce6555ff7baa28aa5db451f68e955d2448f2bf3703c",
  },
  {
    name: "bcrypt of npm:bcrypt, as in recipes for Auth.js and Passport",
    hash: "$2b$04$JNj0iSu2xJ9vGMc1GitXxe597iiAdJ6ENFMSCC0D8Z.IZM7TdjR9e",
  },
  {
    name: "Argon2id of npm:argon2, as in recipes for Auth.js",
    hash:
      "$argon2id$v=19$m=1024,p=4,t=3$PPjpKWkmQRByThmhxp8h2A$Vs7NlawbUjLeEct1cQCWBW+5h4VZ6138R3l6Nn1/W3A",
  },
  {
    name: "bcrypt of PHP 8.2, as in Laravel",
    hash: "$2y$04$ZTHKLX0pvtnBaMd1f2l8jOIzlb326yKYLH3NBawFQ8cZU0fXLm0C2",
  },
  {
    name: "Argon2id of PHP 8.2, as in Laravel",
    hash:
      "$argon2id$v=19$m=1024,t=2,p=2$c2t4OERlSHdyZHF5NE5wVg$3AtPDhZcu2d9zd/iKRg3VP5KRsURhsBbprrrfH7pUkA",
  },
  {
    name: "phpass of WordPress 6.1",
    hash: "$P$BziID9InZR0rSjm8dbKnJiVxUXwt6d1",
  },
  {
    name: "bcrypt of WordPress 6.8",
    hash: "$wp$2y$04$FRRGUAQMhXOjFp5K8qrY6utxrzavzl4G5XciZQi/hCaKD/2EVnAS2",
  },
  {
    name: "bcrypt of Devise 4.8 with a pepper",
    hash: "$2a$04$fvAu1xOmBVDuB7x1ky6tIOzf8Ok2qnSWN2VSGsgibL6SbU3W4IuoW",
    readers: [devise],
  },
  {
    name: "bcrypt of Devise 4.8 without a pepper",
    hash: "$2a$04$mVtNct0MwGMl/GR4Xl1OhetNoXUx9.NE2XR4SXDp8Hr.J1.YxwmVq",
  },
  {
    name: "scrypt of Firebase, from its documentation",
    password: "user1password",
    hash:
      "firebase:42xEC+ixf3L2lw==:lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
  },
  {
    name: "scrypt of npm:firebase-scrypt, in the alphabet of the Admin SDK",
    hash:
      "firebase:42xEC-ixf3L2lw:MnUEJh1O5YzNFSAhj992xcHU7GFnEvC-bNvV4-6J758DxgqXFDDgIk9q5YruMg_p0tHuASk7aAE82dPfgl_QGg",
  },
  // The tests of ASP.NET Core: src/Identity/test/Identity.Test.
  {
    name: "PBKDF2-SHA256 of ASP.NET Core Identity",
    password: "my password",
    hash:
      "AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
  },
  {
    name: "PBKDF2-SHA512 of ASP.NET Core Identity",
    password: "my password",
    hash:
      "AQAAAAIAAAD6AAAAIJbVi5wbMR+htSfFp8fTw8N8GOS/Sje+S/4YZcgBfU7EQuqv4OkVYmc4VJl9AGZzmRTxSkP7LtVi9IWyUxX8IAAfZ8v+ZfhjCcudtC1YERSqE1OEdXLW9VukPuJWBBjLuw==",
  },
  {
    name: "PBKDF2-SHA512 of ASP.NET Core Identity with 16 bytes",
    password: "my password",
    hash: "AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiHw",
  },
  {
    name: "PBKDF2-SHA256 of npm:aspnetcore-identity-password-hasher",
    hash:
      "AQAAAAEAACcQAAAAEMeuqZYF3ylLRqElUlxqdtFT1WoItgguF1KEL+3RhwufhwklrFzfwzdMR8NNOY7Y6Q==",
  },
];

for (const row of known) {
  const { name, hash, password = "pässword" } = row;
  Deno.test(`verifyPassword() accepts ${name}, and replaces it`, async () => {
    const options = { ...CHEAP, readers: row.readers ?? readers };
    assertEquals(await verifyPassword(hash, password + "x", options), WRONG);
    assertEquals(await verifyPassword(hash, "", options), WRONG);

    let stored = hash;
    const saveHash = (after: string) => stored = after;
    assertEquals(
      await verifyPassword(hash, password, { ...options, saveHash }),
      { ok: true, needsRehash: false },
    );
    assertStringIncludes(stored, "$argon2id$v=19$m=16,t=1,p=1$");
    assert((await verifyPassword(stored, password)).ok);
  });
}

Deno.test("readWordPress() ignores white space around a password, as WordPress does", async () => {
  const options = { readers: [readWordPress] };
  for (const { hash } of known.filter(({ hash }) => /^\$(wp|P)/.test(hash))) {
    const password = " pässword\n";
    assertEquals(await verifyPassword(hash, password, options), MOVE);
  }
});

Deno.test("createDeviseReader() rejects passwords that bcrypt confuses with others", async () => {
  // The first 72 bytes of each are those of a password with its pepper.
  const pepper = "pepper ".repeat(20);
  const read = createDeviseReader({ pepper });
  // npm:bcrypt created this hash of the pepper, so its password is empty.
  const hash = "$2b$04$Q5cWU4CXqhVtPWuy/eQJSO9kMPZmtnk6YR47ZRyts198oflffB0mS";
  const options = { readers: [read] };
  assertEquals(await verifyPassword(hash, "", options), MOVE);
  for (const password of [pepper.slice(0, 73), pepper]) {
    assertEquals(await verifyPassword(hash, password, options), WRONG);
  }
});

const HEX = "ab".repeat(64);
const TAIL = "CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const SALT = "42xEC+ixf3L2lw==";
const KEY = SIGNER_KEY;

/** Hashes with too much work, or in an invalid form. */
const refused = [
  `${"a".repeat(31)}:${HEX}`,
  `${"a".repeat(33)}:${HEX}`,
  `${"A".repeat(32)}:${HEX}`,
  `${"a".repeat(32)}:${HEX}0`,
  `${"a".repeat(32)}:${HEX}00`,
  `${"a".repeat(32)}:${HEX.slice(2)}`,
  `${"a".repeat(32)}:${HEX.toUpperCase()}`,
  `${"a".repeat(32)}:${HEX}\n`,
  `s1:${"a".repeat(32)}:${HEX}`,
  `s2:${"a".repeat(32)}`,
  `:${HEX}`,
  ":",
  // ASP.NET: SHA-1, unknown functions, too many rounds, bad lengths.
  "AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M",
  "AQAAAAMAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
  "AQAAAAH/////AAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
  "AQAAAAEAACcQ/////wABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
  "AQAAAAEAACcQAAAAAAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
  "AQAAAAEAAAAAAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
  "AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4A=",
  "AQAAAAIAAAAyAAAAEOMwvh3+FZxqkdMBz2ekgGhwQ4B6pZWND6zgESBuWiH=",
  "AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==",
  "AQAAAAE",
  "AQAAAAEAAAAyAAAAEOMwvg",
  // phpass: rounds of 2 to the power of 6, 17 and 30.
  "$P$4ziID9InZR0rSjm8dbKnJiVxUXwt6d1",
  "$P$FziID9InZR0rSjm8dbKnJiVxUXwt6d1",
  "$P$SziID9InZR0rSjm8dbKnJiVxUXwt6d1",
  "$P$BziID9InZR0rSjm8dbKnJiVxUXwt6d",
  "$P$BziID9InZR0rSjm8dbKnJiVxUXwt6d11",
  "$Q$BziID9InZR0rSjm8dbKnJiVxUXwt6d1",
  `$wp$2y$16$${TAIL}`,
  `$wp$2y$05$${TAIL}x`,
  `$wp$wp$2y$05$${TAIL}`,
  `$wp$argon2id$v=19$m=1024,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$${"A".repeat(43)}`,
  `firebase:${SALT}:${KEY.slice(4)}`,
  `firebase:${SALT}:${KEY}=`,
  `firebase::${KEY}`,
  `firebase:${SALT}:`,
  `firebase:!:${KEY}`,
  `firebase:${"A".repeat(100)}:${KEY}`,
  `firebase:${SALT}:${"A".repeat(400)}`,
  `firebase:${SALT}:${KEY}:`,
];

Deno.test("verifyPassword() does no work for a product's hash that is too expensive or malformed", async () => {
  let costs: string[] = [];
  const engine: Argon2Engine = {
    name: "counting",
    derive(inputs) {
      costs.push(`m=${inputs.memory}`);
      return Promise.resolve(new Uint8Array(inputs.tagLength));
    },
  };
  for (const hash of refused) {
    costs = [];
    const result = await verifyPassword(hash, "x", { readers, engine });
    // Only the work for a user who does not exist.
    assertEquals([hash, result, costs], [hash, WRONG, ["m=19456"]]);
  }
});

Deno.test("the readers of products refuse invalid options at once", () => {
  assertThrows(() => createDeviseReader({ pepper: "" }), TypeError, "pepper");
  for (
    const [options, error] of [
      [{ signerKey: "" }, TypeError],
      [{ signerKey: "not base64" }, TypeError],
      [{ signerKey: SIGNER_KEY, saltSeparator: "!" }, TypeError],
      [{ signerKey: SIGNER_KEY, rounds: 0 }, RangeError],
      [{ signerKey: SIGNER_KEY, rounds: 17 }, RangeError],
      [{ signerKey: SIGNER_KEY, memoryCost: 20 }, RangeError],
      [{ signerKey: SIGNER_KEY, memoryCost: 1.5 }, RangeError],
    ] as const
  ) {
    const thrown = assertThrows(() => createFirebaseReader(options), error);
    assert(!thrown.message.includes(SIGNER_KEY));
  }
});
