/** The stand-ins for `@std` reject the same input as the originals. */
import * as used from "@std/assert";
import { setCookie } from "@std/http/cookie";
import * as standIns from "../offline/assert.ts";
import { setCookie as setCookieOffline } from "../offline/cookie.ts";

class Private {
  #value: number;
  constructor(value: number) {
    this.#value = value;
  }
  get value(): number {
    return this.#value;
  }
}

const symbol = Symbol();
const different: Record<string, [unknown, unknown]> = {
  "an undefined member": [{ a: undefined }, {}],
  "members of other names": [{ a: undefined }, { b: undefined }],
  "a symbol": [{ [symbol]: 1 }, {}],
  "a hole": [Array(1), [undefined]],
  "members of arrays": [Object.assign([1], { a: 1 }), [1]],
  "a match": ["a".match(/a/), ["a"]],
  "an array and an object": [[1], { 0: 1 }],
  "a class": [new Private(1), { value: 1 }],
  "what getters tell": [new Private(1), new Private(2)],
  "causes": [new Error("a", { cause: 1 }), new Error("a", { cause: 2 })],
  "codes": [
    Object.assign(new Error("a"), { code: 1 }),
    Object.assign(new Error("a"), { code: 2 }),
  ],
  "errors": [new TypeError("a"), new Error("a")],
  "dates": [new Date(1), new Date(2)],
  "addresses": [new URL("http://a/"), new URL("http://b/")],
  "queries": [new URLSearchParams("a=1"), new URLSearchParams("a=2")],
  "sets": [new Set([1]), new Set([2])],
  "maps": [new Map([["a", { b: 1 }]]), new Map([["a", { b: 2 }]])],
  "bytes": [new Uint8Array([1]), new Int8Array([1])],
  "views": [
    new DataView(new Uint8Array([1]).buffer),
    new DataView(new Uint8Array([2]).buffer),
  ],
};

for (const [what, pair] of Object.entries(different)) {
  Deno.test(`assertEquals() distinguishes ${what}, in the stand-in too`, () => {
    for (const { assertEquals } of [used, standIns]) {
      refuses(() => assertEquals(...pair));
      refuses(() => assertEquals({ in: pair[0] }, { in: pair[1] }));
    }
  });
}

Deno.test("assertMatch() continues at the lastIndex of a global expression, in the stand-in too", () => {
  for (const { assertMatch } of [used, standIns]) {
    const expression = /a/g;
    assertMatch("a", expression);
    refuses(() => assertMatch("a", expression));
  }
});

Deno.test("setCookie() rejects invalid names, in the stand-in too", () => {
  for (const set of [setCookie, setCookieOffline]) {
    for (const character of '()@<>,;:\\"[]?={} \t\x7f\u00e9') {
      const name = `a${character}b`;
      refuses(() => set(new Headers(), { name, value: "" }));
    }
    set(new Headers(), { name: "!#$%&'*+-.^_`|~", value: "" });
  }
});

function refuses(fn: () => void): void {
  used.assertThrows(fn);
}

/** Returns the message of a failed comparison, in the stand-in. */
function differenceOf(actual: unknown, expected: unknown): string {
  try {
    standIns.assertEquals(actual, expected);
  } catch (error) {
    return String(error);
  }
  throw new Error("The values are equal");
}

Deno.test("assertEquals() shows only the lines that differ between long objects, in the stand-in", () => {
  const users = Array.from({ length: 100 }, (_, id) => ({ id, name: "Ada" }));
  const others = users.map((user) =>
    user.id === 50 ? { ...user, name: "Eve" } : user
  );
  const message = differenceOf({ users }, { users: others });
  used.assertStringIncludes(message, '-       name: "Ada",\n');
  used.assertStringIncludes(message, '+       name: "Eve",\n');
  used.assertStringIncludes(message, "        id: 50,\n");
  used.assertEquals(message.match(/Ada/g)?.length, 1, message);
  used.assert(message.split("\n").length < 20, message);
});

Deno.test("assertEquals() shows the lines that differ between strings, in the stand-in", () => {
  const message = differenceOf("a\nb\nc\nd", "a\nc\nx\nd");
  used.assertStringIncludes(message, "  a\n- b\n  c\n+ x\n  d\n");
});

Deno.test("assertEquals() shows values of one line, in the stand-in", () => {
  used.assertStringIncludes(differenceOf(1, "1"), '\n- 1\n+ "1"\n');
  used.assertStringIncludes(differenceOf("a", "b"), '\n- "a"\n+ "b"\n');
  used.assertStringIncludes(differenceOf([], [1]), "- []\n");
});

Deno.test("assertEquals() says if different values look the same, in the stand-in", () => {
  const message = differenceOf(new Private(1), new Private(2));
  used.assertStringIncludes(message, "Both look like this:\n\nPrivate {}\n");
});

Deno.test("assertEquals() shows a large difference without comparing every pair of lines, in the stand-in", () => {
  const numbers = (first: number) =>
    Array.from({ length: 5_000 }, (_, index) => `${first + index}`).join("\n");
  const message = differenceOf(numbers(0), numbers(10_000));
  used.assertStringIncludes(message, "- 4999\n+ 10000\n");
});
