/**
 * Holds schemas of any library to Standard Schema.
 *
 * @example Testing a schema
 * ```ts
 * import { string } from "@gatehouse/web/data-schema";
 * import { minLength } from "@gatehouse/web/data-schema/checks";
 * import { testStandardSchema } from "@gatehouse/web/data-schema/testing";
 * import { assert } from "@std/assert";
 *
 * const tests = testStandardSchema(string().pipe(minLength(1)), {
 *   valid: ["a"],
 *   invalid: ["", 1],
 * });
 *
 * for (const { run } of tests) await run();
 * assert(tests.length > 0);
 * ```
 *
 * @module
 */

import type {
  StandardSchemaResult,
  StandardSchemaV1,
} from "./standard_schema.ts";

/** A test, ready for any runner. */
export interface StandardSchemaTest {
  /** The name of the test. */
  readonly name: string;
  /** Runs the test. Rejects where it fails. */
  readonly run: () => Promise<void>;
}

/** Values for {@linkcode testStandardSchema}. */
export interface StandardSchemaSamples {
  /**
   * Values that pass.
   *
   * @default {[]}
   */
  readonly valid?: readonly unknown[] | undefined;
  /**
   * Values that do not pass.
   *
   * @default {[]}
   */
  readonly invalid?: readonly unknown[] | undefined;
}

/**
 * Makes the tests that a schema must pass to be taken wherever Standard Schema
 * is. They fit any test runner.
 *
 * Beside the letter of the standard they hold the schema to what its users
 * rely on: it works unbound, keeps no state between values, leaves its input
 * alone, and answers odd values with issues instead of throwing.
 *
 * @example Running the tests with Deno's runner
 * ```ts
 * import { number } from "@gatehouse/web/data-schema";
 * import { testStandardSchema } from "@gatehouse/web/data-schema/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const names: string[] = [];
 * for (const { name, run } of testStandardSchema(number(), { valid: [1] })) {
 *   names.push(name); // Deno.test(name, run);
 *   await run();
 * }
 *
 * assertEquals(names[0], "has the properties of the standard");
 * ```
 *
 * @param schema The schema.
 * @param samples Values that pass and values that do not.
 * @returns The tests.
 * @see {@link https://standardschema.dev | Standard Schema, version 1}
 */
export function testStandardSchema(
  schema: StandardSchemaV1,
  samples: StandardSchemaSamples = {},
): readonly StandardSchemaTest[] {
  const { valid = [], invalid = [] } = samples;
  const validate = (value: unknown) => validateUnbound(schema, value);
  return [
    test("has the properties of the standard", () => testProperties(schema)),
    test("gives a value for values that pass", () =>
      each(valid, async (value) => {
        const result = await validate(value);
        check(!result.issues, "a valid value has issues");
        check("value" in result, "the result has no value");
      })),
    test("gives issues for values that do not pass", () =>
      each(invalid, async (value) => testIssues(await validate(value)))),
    test("answers odd values without throwing", () =>
      each(oddValues(), async (value) => {
        const result = await validate(value);
        check(typeof result === "object" && result !== null, "no result");
        if (result.issues) testIssues(result);
      })),
    test("keeps no state between values", () =>
      each([...valid, ...invalid, ...valid, ...invalid], async (value) => {
        const first = await validate(value);
        const second = await validate(value);
        check(!first.issues === !second.issues, "two results differ");
      })),
    test("leaves its input alone", () =>
      each([...valid, ...invalid], async (value) => {
        const before = snapshot(value);
        await validate(value);
        check(snapshot(value) === before, "the input has changed");
      })),
    test("takes options that it does not know", () =>
      each([...valid, ...invalid], async (value) => {
        const options = { libraryOptions: { unheardOf: true } };
        await schema["~standard"].validate(value, options);
      })),
    test("describes itself in JSON Schema, if at all", () =>
      testJSONSchema(schema)),
  ];
}

function test(
  name: string,
  body: () => void | Promise<void>,
): StandardSchemaTest {
  return { name, run: async () => await body() };
}

async function each(
  values: readonly unknown[],
  body: (value: unknown) => Promise<void>,
): Promise<void> {
  for (const value of values) await body(value);
}

function check(holds: boolean, problem: string): void {
  if (!holds) throw new Error(`Cannot accept schema: ${problem}`);
}

/** Validates as consumers do who keep nothing but the function. */
async function validateUnbound(
  schema: StandardSchemaV1,
  value: unknown,
): Promise<StandardSchemaResult<unknown>> {
  const { validate } = schema["~standard"];
  return await validate(value);
}

function testProperties(schema: StandardSchemaV1): void {
  const { validate, vendor, version } = schema["~standard"];
  check(version === 1, "the version is not 1");
  check(typeof vendor === "string" && vendor !== "", "it names no vendor");
  check(typeof validate === "function", "it has no validate function");
}

function testIssues({ issues }: StandardSchemaResult<unknown>): void {
  check(Array.isArray(issues), "the issues are no list");
  check(issues!.length > 0, "an invalid value has no issues");
  for (const { message, path } of issues!) {
    check(typeof message === "string", "an issue has no message");
    check(path === undefined || Array.isArray(path), "a path is no list");
    for (const segment of path ?? []) {
      const key = typeof segment === "object" ? segment.key : segment;
      const isKey = ["string", "number", "symbol"].includes(typeof key);
      check(isKey, "a path has a segment without a key");
    }
  }
}

/** Values that a schema meets sooner or later. */
function oddValues(): unknown[] {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  let deep: unknown[] = [];
  for (let level = 0; level < 10_000; level++) deep = [deep];
  return [
    undefined,
    null,
    NaN,
    Infinity,
    -0,
    "",
    "\0\ud800",
    0n,
    Symbol("odd"),
    () => {},
    [],
    [,],
    {},
    Object.create(null),
    JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}'),
    new Date(NaN),
    new Map(),
    cyclic,
    deep,
  ];
}

/** Returns a value as JSON. All values without JSON look alike. */
function snapshot(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}

interface Describes {
  readonly jsonSchema?: {
    readonly input: (options: { target: string }) => unknown;
    readonly output: (options: { target: string }) => unknown;
  };
}

function testJSONSchema(schema: StandardSchemaV1): void {
  const { jsonSchema } = schema["~standard"] as Describes;
  if (jsonSchema === undefined) return;
  for (const io of ["input", "output"] as const) {
    for (const target of ["draft-2020-12", "draft-07"]) {
      const described = jsonSchema[io]({ target });
      check(
        typeof described === "object" && described !== null,
        `its ${io} has no description`,
      );
    }
  }
}
