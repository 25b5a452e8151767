/** The rules of the project's English, held for every sentence. */
import { assert, assertEquals } from "@std/assert";
import {
  countOf,
  DENSITIES,
  densityOf,
  findingsOf,
  proseOf,
  readProse,
  shareOfLongSentences,
} from "./_language.ts";

const ROOT = new URL("../../", import.meta.url);

/** The folders and pages whose sentences follow the rules. */
const PATHS = [
  "accounts",
  "auth",
  "create",
  "logger",
  "router",
  "schema",
  "session",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "docs",
  "SECURITY.md",
  "README.md",
  "examples",
  "tests",
];

/** These files contain samples that break the rules, and German. */
const OTHERS = ["tests/deno/language_test.ts", "accounts/messages/german.ts"];

for (const path of PATHS) {
  Deno.test(`every sentence in ${path} follows the language rules`, async () => {
    const prose = (await readProse(ROOT, [path]))
      .filter(({ file }) => !OTHERS.includes(file));
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

const broken = [
  ["/** What the store holds. */\nexport const a = 1;", "a summary names"],
  ["/** The cache of keys. */\nexport function a() {}", "third-person verb"],
  ["/** A key. Where it is missing, nothing happens. */\nlet a;", "relative"],
  ["// Nobody reads it.\nlet a;", 'not "Nobody"'],
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
