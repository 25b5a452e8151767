import { assert, assertEquals } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { codeBlocks } from "./_markdown.ts";

const ROOT = new URL("../../", import.meta.url);

const ENTRIES = Object.values(config.exports);

interface Doc {
  readonly nodes: Record<string, {
    readonly module_doc?: { readonly doc?: string };
    readonly symbols: readonly {
      readonly name: string;
      readonly declarations: readonly {
        readonly kind: string;
        readonly jsDoc?: { readonly tags?: readonly { kind: string }[] };
        readonly def: {
          readonly extends?: readonly {
            readonly value?: { readonly typeName?: string };
          }[];
        };
      }[];
    }[];
  }>;
}

Deno.test("every exported symbol is documented, and shows only exported types", async () => {
  const { success, stderr } = await deno("doc", "--lint", ...ENTRIES);
  assert(success, stderr);
});

Deno.test("every exported function and class has an example", async () => {
  const { nodes }: Doc = JSON.parse(await readDocs());

  const missing = Object.values(nodes).flatMap(({ symbols }) => symbols)
    .filter(({ declarations }) =>
      declarations.some(({ kind }) => ["function", "class"].includes(kind)) &&
      !declarations.some(({ jsDoc }) =>
        jsDoc?.tags?.some((tag) => tag.kind === "example")
      )
    ).map(({ name }) => name);

  assertEquals([...new Set(missing)], []);
});

Deno.test("every example is a block that deno test --doc runs, and asserts something", async () => {
  const examples: string[] = [];
  JSON.parse(await readDocs(), (_key, value) => {
    if (value?.kind === "example") examples.push(value.doc);
    return value;
  });

  const idle = examples.filter((example) => {
    const blocks = codeBlocks(example);
    return blocks.length === 0 ||
      !blocks.every(({ language, words, text }) =>
        language === "ts" && words.length === 0 &&
        /\bassert|testSessionStore|testMatcher/.test(text)
      );
  });

  assert(examples.length > 0);
  assertEquals(idle, []);
});

Deno.test("deno doc shows every @default completely", async () => {
  let shown = 0;
  const cut: string[] = [];
  JSON.parse(await readDocs(), (_key, tag) => {
    // `deno doc` ends a default at its first brace, and reads only defaults in
    // braces.
    if (tag?.kind === "default") {
      shown++;
      if (/[{}]/.test(tag.value + (tag.doc ?? ""))) cut.push(tag.value);
    }
    if (tag?.kind === "unsupported" && tag.value.startsWith("@default")) {
      cut.push(tag.value);
    }
    return tag;
  });
  assert(shown > 100, `only ${shown}`);
  assertEquals(cut, []);
});

Deno.test("every entry exports the options that its options extend", async () => {
  const { nodes }: Doc = JSON.parse(await readDocs());
  const missing: string[] = [];
  for (const [entry, path] of Object.entries(config.exports)) {
    const { symbols } = nodes[new URL(path, ROOT).href]!;
    const names = new Set(symbols.map(({ name }) => name));
    for (const { name, declarations } of symbols) {
      const bases = declarations.flatMap(({ def }) => def?.extends ?? [])
        .flatMap(({ value }) => value?.typeName ?? []);
      missing.push(
        ...bases.filter((base) => base.endsWith("Options") && !names.has(base))
          .map((base) => `${entry}: ${name} extends ${base}`),
      );
    }
  }
  assertEquals(missing, []);
});

Deno.test("every entry has a summary", async () => {
  const { nodes }: Doc = JSON.parse(await readDocs());

  const silent = Object.entries(nodes)
    .filter(([, { module_doc }]) => !module_doc?.doc)
    .map(([file]) => file);

  assertEquals(silent, []);
});

let docs: Promise<string> | undefined;

/** Reads the documentation of all entries, once. */
async function readDocs(): Promise<string> {
  docs ??= deno("doc", "--json", ...ENTRIES).then(({ stdout }) => stdout);
  return await docs;
}

async function deno(...args: string[]) {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
  }).output();
  const decoder = new TextDecoder();
  return {
    success,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}
