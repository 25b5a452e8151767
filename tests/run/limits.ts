/**
 * Gives each test a time limit, and the location of its file even if a helper
 * defines it. `deno test --preload` runs this file before the files of tests.
 *
 * A test that needs longer states it: `Deno.test(name, { timeout }, fn)`.
 */
import { TIME_LIMIT } from "../runtimes/collect.ts";

/** Milliseconds that a test may take. A slow machine can have other limits. */
export const LIMIT = Number(Deno.env.get("TEST_TIME_LIMIT") ?? TIME_LIMIT);

/** The same for a test in `tests/long/`. */
const LONG_LIMIT = 5 * LIMIT;

/** Deno reads a test's location from this property of its function. */
export const LOCATION: unique symbol = Symbol.for("Deno.test.location");

const { test } = Deno;

Object.assign(Deno, { test: Object.assign(testWithin, test) });

/** A test whose function knows its location. */
type LocatedTest = Deno.TestDefinition & { fn: { [LOCATION]?: string } };

/** Accepts all forms of `Deno.test()`. */
function testWithin(...parts: unknown[]): void {
  const given = parts.find((part) => typeof part === "object") ?? {};
  const { timeout, ...options } = given as Partial<Deno.TestDefinition>;
  const fn = parts.find((part) => typeof part === "function") ?? options.fn;
  const name = parts.find((part) => typeof part === "string") ?? options.name;
  const definition = { ...options, name, fn } as LocatedTest;
  const location = definition.fn[LOCATION] ??= callerLocation();
  test({ ...definition, timeout: timeout ?? timeLimit(location) });
}

function timeLimit(location: string): number {
  return location.includes("/tests/long/") ? LONG_LIMIT : LIMIT;
}

/** Returns the place that defines a test: "file:///tests/a_test.ts:1:6". */
function callerLocation(): string {
  const stack = new Error().stack?.matchAll(/file:\S+?:\d+:\d+/g) ?? [];
  const places = [...stack].map(([place]) => place);
  const [caller = ""] = places.filter((place) =>
    !place.startsWith(import.meta.url)
  );
  return places.find((place) => /_test\.ts:\d+:\d+$/.test(place)) ?? caller;
}
