/** The rules of the project's English, held for every sentence. */
import { assert, assertEquals } from "@std/assert";
import {
  countOf,
  DENSITIES,
  densityOf,
  findingsOf,
  foreignWordsOf,
  type Prose,
  proseOf,
  readProse,
  shareOfLongSentences,
  telegramsOf,
} from "./_language.ts";

const ROOT = new URL("../../", import.meta.url);

/** The folders and pages whose sentences follow the rules. */
const PATHS = [
  "accounts",
  "oauth_server",
  "auth",
  "create",
  "logger",
  "router",
  "schema",
  "session",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "docs",
  "skills",
  "SECURITY.md",
  "README.md",
  "examples",
  "tests",
];

/** The folders of the product, whose comments follow further rules. */
const PRODUCT = [
  "accounts",
  "oauth_server",
  "auth",
  "create",
  "logger",
  "router",
  "schema",
  "session",
  "mod.ts",
];

/** These files contain samples that break the rules, and German. */
const OTHERS = [
  "tests/deno/language_test.ts",
  "accounts/messages/german.ts",
  "accounts/messages/admin_german.ts",
  "oauth_server/messages/german.ts",
];

const read = new Map<string, Promise<Prose[]>>();

/** Reads the prose below a path once for all tests. */
function proseBelow(path: string): Promise<Prose[]> {
  const prose = read.get(path) ?? readProse(ROOT, [path])
    .then((all) => all.filter(({ file }) => !OTHERS.includes(file)));
  read.set(path, prose);
  return prose;
}

for (const path of PATHS) {
  Deno.test(`every sentence in ${path} follows the language rules`, async () => {
    const prose = await proseBelow(path);
    assert(prose.length > 0);

    const findings = prose.flatMap(findingsOf).map(
      ({ file, line, rule, sentence }) =>
        `${file}:${line} ${rule}: ${sentence}`,
    );
    assertEquals(findings, []);
    for (const { word, most, better } of DENSITIES) {
      const density = densityOf(prose, word);
      if (countOf(prose, word) <= 2) continue;
      assert(
        density <= most,
        `${path} has ${word.source} ${
          density.toFixed(1)
        } times per 1,000 words, at most ${most} are plain English: ${better}`,
      );
    }
    assert(shareOfLongSentences(prose) <= 0.05);
  });
}

for (const path of PRODUCT) {
  Deno.test(`every comment in ${path} is a whole sentence in plain English`, async () => {
    const prose = await proseBelow(path);
    assert(prose.length > 0);

    const findings = prose.flatMap((piece) => [
      ...telegramsOf(piece),
      ...foreignWordsOf(piece),
    ]).map(({ file, line, rule, sentence }) =>
      `${file}:${line} ${rule}: ${sentence}`
    );
    assertEquals(findings, []);
  });
}

for (const path of ["docs", "README.md", "SECURITY.md"]) {
  Deno.test(`every sentence in ${path} is plain English`, async () => {
    const findings = (await proseBelow(path)).flatMap(foreignWordsOf).map(
      ({ file, line, rule, sentence }) =>
        `${file}:${line} ${rule}: ${sentence}`,
    );
    assertEquals(findings, []);
  });
}

const telegrams = [
  "// Also if the answer was lost, or the browser rejected its cookie.",
  "// Such as those of a session store and of a body beyond the limit.",
  "// Those of this connection only (RFC 9110, section 7.6.1).",
  "// Not in the future either: the clock was wrong.",
  "// Otherwise the handler after two guards would be ignored silently.",
  "// Without the text of the pair, which may be a token without a client.",
  "// Without a known expiry, the key is expired.",
  "// The tokens of a process that was thought dead, or of a new login.",
  "// It is full. So the store evicts the oldest one.",
  "// The last check, so that no other proof costs a write.",
  "// At the first hash, because loading the module takes Deno 30 ms.",
  "// Only in a header, never in the query.",
  "/** The lifetime of a token. Longer than a login, because of proxies. */",
  "/** A cache. Of the tokens that the issuer rejected. */",
];

for (const comment of telegrams) {
  Deno.test(`the language rules catch the telegram ${comment}`, () => {
    const [prose] = proseOf("a.ts", `${comment}\nlet a;`);
    assertEquals(telegramsOf(prose).length, 1);
  });
}

const foreign = [
  ["It fails if another request was faster.", "was faster"],
  ["It begins the set-up of an app.", "set-up"],
  ["The owner stays logged in, also while it runs.", "also while"],
  ["The version is not the present one.", "the present one"],
  ["A key has at most what its user has.", "has at most what"],
  ["A key opens nothing of other teams.", "opens nothing of"],
  ["An old copy, as of a session, does nothing.", "as of a"],
  ["It is in another file than its type.", "another file than"],
  [
    "It learns five digits of the digits of the hash of the password.",
    "of the digits of the hash of",
  ],
];

for (const [sentence, words] of foreign) {
  Deno.test(`the language rules catch ${JSON.stringify(words)}`, () => {
    const [prose] = proseOf("a.ts", `// ${sentence}\nlet a;`);
    const [{ rule }] = foreignWordsOf(prose);
    assertEquals(rule.startsWith(`not "${words}"`), true, rule);
  });
}

Deno.test("the language rules accept whole sentences and the facts of a property", () => {
  const source = [
    "// Deno closes a request that is upgraded to a WebSocket.",
    "// If the store fails, the request fails, because a failure must not look",
    "// like a logout.",
    "// Not every function aborts when the signal does.",
    "// The time is that of the login, so it may be much older.",
    "/** Steps 22 and 24. */",
    "/** The longest name. At most 256 characters. */",
    "/** The time of the login. 30 days. */",
    "/** Returns a key. Without one, the address counts. */",
    "/** The state of the schema of a form. Both have one. */",
    "let a;",
  ].join("\n");
  const prose = proseOf("a.ts", source);
  assertEquals(prose.flatMap(telegramsOf), []);
  assertEquals(prose.flatMap(foreignWordsOf), []);
});

const broken = [
  ["/** What the store holds. */\nexport const a = 1;", "a summary names"],
  ["/** The cache of keys. */\nexport function a() {}", "third-person verb"],
  ["/** A key. Where it is missing, nothing happens. */\nlet a;", "relative"],
  ["// Nobody reads it.\nlet a;", 'not "Nobody"'],
  ["// It works once, also if two requests send it.\nlet a;", 'not "also if"'],
  ['test("the owner hears of it, and goes on");', 'not "goes on"'],
  ['test("the owner hears of it, and goes on");', 'not "hears of"'],
  ['throw new Error("Cannot read key: there is none at hand");', '"at hand"'],
] as const;

for (const [source, rule] of broken) {
  Deno.test(`the language rules catch ${JSON.stringify(source)}`, () => {
    const findings = proseOf("a.ts", source).flatMap(findingsOf);
    assert(findings.some((finding) => finding.rule.includes(rule)));
  });
}

Deno.test("the language rules catch comments in the code of pages", () => {
  const page = "# Title\n\n```ts\nf();\n// Nobody reads it.\n```\n";
  const [{ line, rule }] = proseOf("a.md", page).flatMap(findingsOf);
  assertEquals([line, rule.slice(0, 12)], [5, 'not "Nobody"']);
});

Deno.test("the language rules accept plain sentences", () => {
  const source = [
    "/** Returns the value of a key, or `null` if the key is missing. */",
    "export function read() {}",
    "/** `true` if the request was aborted. */",
    "let aborted;",
    "// Saves about 50 ns per request on V8.",
    'throw new TypeError("Cannot create session: the secret is too short");',
  ].join("\n");
  assertEquals(proseOf("a.ts", source).flatMap(findingsOf), []);
});
