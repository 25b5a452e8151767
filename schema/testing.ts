import type {
  StandardSchemaResult,
  StandardSchemaV1,
} from "./standard_schema.ts";

/** A test for any test runner. */
export interface StandardSchemaTest {
  /** The name of the test. */
  readonly name: string;
  /** Runs the test. Rejects if it fails. */
  readonly run: () => Promise<void>;
}

/** Values for {@linkcode testStandardSchema}. */
export interface StandardSchemaSamples {
  /**
   * Valid values.
   *
   * @default {[]}
   */
  readonly valid?: readonly unknown[] | undefined;
  /**
   * Invalid values.
   *
   * @default {[]}
   */
  readonly invalid?: readonly unknown[] | undefined;
}

/**
 * Creates the tests that an implementation of Standard Schema must pass. They
 * work with any test runner.
 *
 * In addition to the standard, the tests require that a schema works unbound,
 * keeps no state between values, does not change its input, and never throws for
 * unusual values.
 *
 * @example Running the tests with Deno's runner
 * ```ts
 * import { number } from "@gatehouse/web/data-schema";
 * import { testStandardSchema } from "@gatehouse/web/testing";
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
 * @param samples Valid and invalid values.
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
    test("returns a value for valid values", () =>
      each(valid, async (value) => {
        const result = await validate(value);
        check(!result.issues, "a valid value has issues");
        check("value" in result, "the result has no value");
      })),
    test("returns issues for invalid values", () =>
      each(invalid, async (value) => testIssues(await validate(value)))),
    test("does not throw for unusual values", () =>
      each(
        unusualValues(),
        async (value) => testResult(await validate(value)),
      )),
    ...purityTests(schema, [...valid, ...invalid]),
    test("returns its JSON Schema, if it has one", () =>
      testJSONSchema(schema)),
  ];
}

/** Returns the tests that validating a value changes nothing. */
function purityTests(
  schema: StandardSchemaV1,
  all: readonly unknown[],
): StandardSchemaTest[] {
  const validate = (value: unknown) => validateUnbound(schema, value);
  return [
    test("keeps no state between values", () =>
      each([...all, ...all], async (value) => {
        const first = await validate(value);
        const second = await validate(value);
        check(!first.issues === !second.issues, "two results differ");
      })),
    test("does not change its input", () =>
      each(all, async (value) => {
        const before = snapshot(value);
        await validate(value);
        check(snapshot(value) === before, "the input has changed");
      })),
    test("accepts unknown options", () =>
      each(all, async (value) => {
        const options = { libraryOptions: { unheardOf: true } };
        await schema["~standard"].validate(value, options);
      })),
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

/** Validates with the bare function, as some consumers do. */
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

function testResult(result: StandardSchemaResult<unknown>): void {
  check(typeof result === "object" && result !== null, "no result");
  if (result.issues) testIssues(result);
}

function testIssues({ issues }: StandardSchemaResult<unknown>): void {
  check(Array.isArray(issues), "the issues are not an array");
  check(issues!.length > 0, "an invalid value has no issues");
  for (const { message, path } of issues!) {
    check(typeof message === "string", "an issue has no message");
    check(path === undefined || Array.isArray(path), "a path is not an array");
    for (const segment of path ?? []) {
      const key = typeof segment === "object" ? segment.key : segment;
      const isKey = ["string", "number", "symbol"].includes(typeof key);
      check(isKey, "a path has a segment without a key");
    }
  }
}

/** Returns values that applications rarely expect. */
function unusualValues(): unknown[] {
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

/** Returns a value as JSON. Values without JSON all have one string per type. */
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
