// A type that inherits options promises what its functions may forget.
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import ts from "npm:typescript@6.0.3";
import { outcome, USES } from "./_option_effects.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = [
  "accounts/",
  "oauth_server/",
  "auth/",
  "router/",
  "session/",
  "logger/",
  "schema/",
];

/** Types that inherit options and are only used inside the library. */
const INTERNAL = new Map([
  ["ActionObject", "its middleware is tested in tests/router/types_test.ts"],
  ["CompleteLoginOptions", "completeFirstFactor passes it"],
  ["Controller", "its middleware is tested in tests/router/types_test.ts"],
  ["CredentialsAuthProvider", "a provider is its options, frozen"],
  ["KnownDevicesOptions", "throttles and second factors pass them"],
  ["ProvedLogin", "a login that waits keeps the options of its first factor"],
  ["ProviderEngine", "the provider keeps its resolved options"],
  [
    "ResourcesOptions",
    "the routes are tested in tests/router/routes/routes_test.ts",
  ],
]);

/** The own members of an interface, and the interfaces that it extends. */
interface Shape {
  /** `true` if other folders can import it. */
  readonly isExported: boolean;
  readonly own: readonly string[];
  readonly bases: readonly string[];
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory) yield* sources(`${path}/`);
    else if (path.endsWith(".ts")) yield path;
  }
}

/** Returns all interfaces of the library. */
async function interfaces(): Promise<Map<string, Shape>> {
  const found = new Map<string, Shape>();
  for (const folder of FOLDERS) {
    for await (const path of sources(folder)) {
      const text = await Deno.readTextFile(new URL(path, ROOT));
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
      for (const node of file.statements) {
        if (!ts.isInterfaceDeclaration(node)) continue;
        const own = node.members.flatMap((member) =>
          member.name === undefined ? [] : [member.name.getText(file)]
        );
        const bases = (node.heritageClauses ?? []).flatMap(({ types }) =>
          types.map(({ expression }) => expression.getText(file))
        );
        const isExported = node.modifiers?.some(({ kind }) =>
              kind === ts.SyntaxKind.ExportKeyword
            ) === true && !path.includes("/_");
        found.set(node.name.text, { isExported, own, bases });
      }
    }
  }
  return found;
}

/** Returns the members that an interface inherits. */
function inherited(name: string, all: Map<string, Shape>): string[] {
  return (all.get(name)?.bases ?? []).flatMap((base) => [
    ...all.get(base)?.own ?? [],
    ...inherited(base, all),
  ]);
}

const all = await interfaces();
const heirs = [...all].filter(([, { bases, isExported }]) =>
  isExported && bases.some((base) => /(?:Options|Limits)$/.test(base))
).map(([name]) => name);

Deno.test("every type that inherits options has a row with a function that takes them", () => {
  const known = [...Object.keys(USES), ...INTERNAL.keys()];
  assertEquals(heirs.filter((name) => !known.includes(name)), []);
  assertEquals(known.filter((name) => !heirs.includes(name)), []);
  assert(inherited("FirstFactorOptions", all).includes("timeouts"));
});

for (const [name, use] of Object.entries(USES)) {
  const names = new Set(inherited(name, all));
  const { changes, given, without = {} } = use;

  Deno.test(`every option that ${name} inherits has a row with its effect`, () => {
    const known = new Set([...Object.keys(changes), ...Object.keys(without)]);
    assertEquals([...names].filter((option) => !known.has(option)), []);
  });

  for (const option of names) {
    const change = changes[option];
    if (change === undefined || option in without) continue;
    Deno.test(`the option ${option}, which ${name} inherits, has an effect`, async () => {
      const before = { ...given, ...change.before };
      const without = await outcome(use, before);
      // Otherwise any two calls would differ.
      assertEquals(await outcome(use, before), without);
      const after = { ...given, ...change.after };
      assertNotEquals(await outcome(use, after), without);
    });
  }
}
