import {
  type Argon2Engine,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
import { assertEquals } from "@std/assert";

const MOVE = { ok: true, needsRehash: true };

const WRONG = { ok: false, needsRehash: false };

const options = { readers: [readBcrypt] };

/** Cheap hashes by Node, frameworks and the authors of the standards. */
const known = [
  {
    name: "scrypt of node:crypto",
    password: "pässword",
    hash:
      "$scrypt$ln=10,r=8,p=5$AAECAwQFBgcICQoLDA0ODw$FV6Nk12qkOle1mTU1xtg8BLhx+gCYu1wMA6KFVTm8XE",
  },
  {
    name: "scrypt of passlib",
    password: "password",
    hash:
      "$scrypt$ln=8,r=8,p=1$8J7TOgcAoHTuvXcuxdhb6w$2+HsZVIT1Q9zik13ck8OyPj7cjfNvbRywgsfmSqCUb4",
  },
  {
    name: "PBKDF2-SHA512 of node:crypto",
    password: "pässword",
    hash:
      "$pbkdf2-sha512$i=1000$AAECAwQFBgcICQoLDA0ODw$y/eRj2FwHgs6A0d8wKheOWOR5PjlKZUVEID5K8lrpY3fVCUnILd/a7SvXHROar5bA9d3J9zVifnM9vYjy0q8ZQ",
  },
  {
    name: "PBKDF2-SHA256 of passlib",
    password: "toomanysecrets",
    hash:
      "$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk",
  },
  {
    name: "PBKDF2-SHA512 of passlib",
    password: "password",
    hash:
      "$pbkdf2-sha512$1212$RHY0Fr3IDMSVO/RSZyb5ow$eNLfBK.eVozomMr.1gYa17k9B7KIK25NOEshvhrSX.esqY3s.FvWZViXz4KoLlQI.BzY/YTNJOiKc5gBYFYGww",
  },
  {
    name: "bcrypt $2a$ of its authors",
    password: "U*U",
    hash: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
  },
  {
    name: "bcrypt $2b$",
    password: "U*U*",
    hash: "$2b$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK",
  },
  {
    name: "bcrypt $2y$",
    password: "U*U*U",
    hash: "$2y$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a",
  },
  {
    name: "PBKDF2 of Django",
    password: "pässword",
    hash:
      "pbkdf2_sha256$1000$Wm9vTqLh2PbCx7yKs4RdJe$R/LPYPz5s1BiEqNJxCNH8QtRe6OjFonsRfQztk6uMIQ=",
  },
  {
    name: "scrypt of Django 5",
    password: "pässword",
    hash:
      "scrypt$1024$Wm9vTqLh2PbCx7yKs4RdJe$8$5$zrjcw1Y62U4n6KH10UtKIEmWOm+p3gNp//IkcvEE69yCHb5z5BFALhkojJh2JeEJhCzazbGUlzf7N78Tvt7iYA==",
  },
  {
    name: "scrypt of Django 4",
    password: "pässword",
    hash:
      "scrypt$1024$Wm9vTqLh2PbCx7yKs4RdJe$8$1$D1wB9m9sfwCS0OMrhLhinip0HgR/fc8HVP2l+mvL7M5C9vYUf7gLpMQAc+U805DOCp0rIz11N3rK0mJRO8TudA==",
  },
  {
    name: "Argon2 of Django",
    password: "pässword",
    hash:
      "argon2$argon2id$v=19$m=1024,t=2,p=8$SfJk/fexeBy5MHI1qtMXRA$EA4jf3CjsctPv/e2DSr+vVUiKYYpKwPFopzYDBADukM",
  },
  {
    name: "bcrypt_sha256 of Django",
    password: "pässword",
    hash:
      "bcrypt_sha256$$2b$04$abcdefghijklmnopqrstuu4EAkLIqFCSjdz5Hr2newQUVEvu5mihm",
  },
  {
    name: "bcrypt of Django",
    password: "pässword",
    hash: "bcrypt$$2b$04$abcdefghijklmnopqrstuum174eFeoTj0DHmtuueFaS3Wde4P7wHG",
  },
  {
    name: "scrypt of Werkzeug",
    password: "pässword",
    hash:
      "scrypt:1024:8:1$BfXc9QQyhJAaaott$1bff416f31c4e3e0b45c450e46980817242a6b34a736e3593dbdd97ee9ba5e3ed62dd8bf2528f96dbf06827c08653af3b89927bf78c3db54e605aafd6f48bd2c",
  },
  {
    name: "PBKDF2-SHA256 of Werkzeug",
    password: "pässword",
    hash:
      "pbkdf2:sha256:1000$3Y9TXUjO76vG3uZ4$4c70abb8cfa7bc8f8a62cda9cf3cfb27111a562882434d32bde962d86434ea3a",
  },
  {
    name: "PBKDF2-SHA512 of Werkzeug",
    password: "pässword",
    hash:
      "pbkdf2:sha512:1000$l1Vk68AlVniogP8D$069015e5d364b3c791246b8134b8f723e5719b2669a81323ab2aaede3d9c1e5a08fa0140ab34dbbccb26a8187c6c96d976c793d2d71b98dc8c1d1fc17562c912",
  },
];

for (const { name, password, hash } of known) {
  Deno.test(`verifyPassword() accepts ${name} and reports that it needs a new hash (spec 5.1.4)`, async () => {
    assertEquals(await verifyPassword(hash, password, options), MOVE);
    assertEquals(await verifyPassword(hash, password + "x", options), WRONG);
    assertEquals(await verifyPassword(hash, "", options), WRONG);
  });
}

/** One hash of full strength for each format, because they take long. */
const strong = [
  {
    name: "scrypt of RFC 7914, section 12",
    password: "pleaseletmein",
    hash:
      "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
  },
  {
    name: "scrypt with the highest recommended cost",
    password: "pässword",
    hash:
      "$scrypt$ln=17,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$6qnjrWGfhGN0kKxZt5PbN64wYtFxi/nlnJvkyN4MQbc",
  },
  {
    name: "PBKDF2-SHA256 of node:crypto, with more rounds than Workers allow",
    password: "pässword",
    hash:
      "$pbkdf2-sha256$i=100001,l=32$AAECAwQFBgcICQoLDA0ODw$oYg6Dn6pUqk8pL31PdqzDMdRCN8OJe4bQMRR/WW8qNM",
  },
  {
    name: "PBKDF2 of Django 4.2",
    password: "pässword",
    hash:
      "pbkdf2_sha256$600000$Wm9vTqLh2PbCx7yKs4RdJe$TwPUPGpQeJNzJwA9by0NrrBooI3pTw/9ICZ5puGCZY0=",
  },
  {
    name: "scrypt of Django 5.1",
    password: "pässword",
    hash:
      "scrypt$16384$Wm9vTqLh2PbCx7yKs4RdJe$8$5$6s5LeRqgNF6w+G7mAxsLcHmyVJLWosGv2ATZDZfoebA02GZkGRinqQa68XcN6qcCVvQQgn2Ul17v19QEmZoivw==",
  },
  {
    name: "scrypt of Werkzeug 3",
    password: "pässword",
    hash:
      "scrypt:32768:8:1$YRqqzbRe8qsA6Tel$3c44e475ae965c333ac251a35b3d535b650d931789cc568146243b01fe847b8b5c897a4f24b950e5064e465c1e0244e87e73dedf64120c1802042680404bf830",
  },
  {
    name: "bcrypt with the 12 rounds of the spec's example",
    password: "correct horse",
    hash: "$2b$12$st2Er4giCBSsNXMGeSVtdOg1AjTyPbSEVI18UMSDZpPpXJKtD5xBW",
  },
];

for (const { name, password, hash } of strong) {
  Deno.test(`verifyPassword() accepts ${name} in full strength (spec 5.1.4)`, async () => {
    assertEquals(await verifyPassword(hash, password, options), MOVE);
  });
}

const SALT = "AAECAwQFBgcICQoLDA0ODw";

const HASH = "PIPyxUZFG3qvyKuJO1IjG0OlCfYrl80ivW9qxIEMHg4";

const TAIL = "CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

/** Hashes with too much work, or in an invalid form. */
const refused = [
  `pbkdf2_sha256$2000001$saltsaltsalt$${HASH}=`,
  `pbkdf2_sha256$0$saltsaltsalt$${HASH}=`,
  `pbkdf2_sha256$1000$salt$${HASH}=`,
  `pbkdf2_sha256$1000$${"s".repeat(65)}$${HASH}=`,
  `pbkdf2_sha256$1000$saltsaltsalt$${HASH}==x`,
  `pbkdf2_md5$1000$saltsaltsalt$${HASH}=`,
  `scrypt$16385$saltsaltsalt$8$1$${HASH}=`,
  `scrypt$262144$saltsaltsalt$8$1$${HASH}=`,
  `scrypt$16384$saltsaltsalt$8$99$${HASH}=`,
  `scrypt$9999999999$saltsaltsalt$8$1$${HASH}=`,
  `scrypt:32767:8:1$saltsaltsalt$${"ab".repeat(32)}`,
  `scrypt:1048576:8:1$saltsaltsalt$${"ab".repeat(32)}`,
  `scrypt:32768:8:1$saltsaltsalt$${"ab".repeat(100)}`,
  `scrypt:32768:8:1$saltsaltsalt$abc`,
  `pbkdf2:sha256:2000001$saltsaltsalt$${"ab".repeat(32)}`,
  `pbkdf2:sha1:1000$saltsaltsalt$${"ab".repeat(20)}`,
  `argon2$argon2id$v=19$m=9999999,t=2,p=1$${SALT}$${HASH}`,
  `argon2$argon2x$v=19$m=1024,t=2,p=1$${SALT}$${HASH}`,
  `bcrypt_sha256$$2b$16$${TAIL}`,
  `bcrypt_sha512$$2b$05$${TAIL}`,
  `$scrypt$ln=21,r=8,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=20,r=8,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=18,r=8,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=17,r=8,p=2$${SALT}$${HASH}`,
  `$scrypt$ln=17,r=9,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=0,r=8,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=20,r=9,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=14,r=33,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=14,r=8,p=17$${SALT}$${HASH}`,
  `$scrypt$ln=14,r=0,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=14,r=8,p=0$${SALT}$${HASH}`,
  `$scrypt$ln=1e1,r=8,p=1$${SALT}$${HASH}`,
  `$scrypt$r=8,ln=14,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=14,r=8$${SALT}$${HASH}`,
  `$scrypt$v=1$ln=14,r=8,p=1$${SALT}$${HASH}`,
  `$scrypt$ln=14,r=8,p=1$AAAA$${HASH}`,
  `$scrypt$ln=14,r=8,p=1$${SALT}$AAAA`,
  `$scrypt$ln=14,r=8,p=1$${SALT}$${"A".repeat(88)}`,
  `$pbkdf2-sha256$i=2000001$${SALT}$${HASH}`,
  `$pbkdf2-sha256$2000001$${SALT}$${HASH}`,
  `$pbkdf2-sha256$99999999999$${SALT}$${HASH}`,
  `$pbkdf2-sha256$i=0$${SALT}$${HASH}`,
  `$pbkdf2-sha256$i=1000,l=31$${SALT}$${HASH}`,
  `$pbkdf2-sha256$i=1000,l=x$${SALT}$${HASH}`,
  `$pbkdf2-sha256$i=1000$AAAA$${HASH}`,
  `$pbkdf2-sha256$i=1000$${SALT}$AAAA`,
  `$pbkdf2-sha256$i=1000$${SALT}$${"A".repeat(88)}`,
  `$pbkdf2-md5$i=1000$${SALT}$${HASH}`,
  `$2a$03$${TAIL}`,
  `$2a$16$${TAIL}`,
  `$2a$31$${TAIL}`,
  `$2x$05$${TAIL}`,
  `$2$05$${TAIL}`,
  `$2a$5$${TAIL}`,
  `$2a$05$${TAIL.slice(1)}`,
  `$2a$05$${TAIL}x`,
  `$2a$05$${TAIL}\n`,
  ` $2a$05$${TAIL}`,
];

Deno.test("verifyPassword() does no work for an old hash that is too expensive or malformed", async () => {
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
    const result = await verifyPassword(hash, "x", { ...options, engine });
    // Only the work for a user who does not exist.
    assertEquals([hash, result, costs], [hash, WRONG, ["m=19456"]]);
  }
});
