/** The contract tests of matchers: correct matchers pass, faulty ones fail. */
import {
  ArrayMatcher,
  type Match,
  type RoutePattern,
} from "@gatehouse/web/fetch-router";
import { testMatcher } from "@gatehouse/web/testing";
import { assert, assertThrows } from "@std/assert";
import { Oracle } from "../_oracle.ts";

/** An oracle that also rejects duplicates. */
class StrictOracle extends Oracle<string> {
  readonly #known = new Set<string>();

  override add(method: string, pattern: RoutePattern, data: string): void {
    const key = `${method} ${pattern.source.replace(/:\w+/g, ":")}`;
    if (this.#known.has(key)) throw new RangeError(`${key} exists already`);
    this.#known.add(key);
    super.add(method, pattern, data);
  }
}

for (const { name, run } of testMatcher(() => new ArrayMatcher<string>())) {
  Deno.test(`ArrayMatcher: ${name}`, run);
}

for (const { name, run } of testMatcher(() => new StrictOracle())) {
  Deno.test(`native patterns in an array: ${name}`, run);
}

/** Matchers that break the contract, and the test that detects it. */
class FirstMatchWins extends StrictOracle {
  #routes: [string, RoutePattern, string][] = [];

  override add(method: string, pattern: RoutePattern, data: string): void {
    super.add(method, pattern, data);
    this.#routes.push([method, pattern, data]);
  }

  override match(method: string, url: string): Match<string> | null {
    const [, , data] =
      this.#routes.find(([each, pattern]) =>
        each === method && pattern.urlPattern.test(url)
      ) ?? [];
    const match = super.match(method, url);
    return match && data !== undefined ? { ...match, data } : match;
  }
}

class UndecodedParams extends StrictOracle {
  override match(method: string, url: string): Match<string> | null {
    return super.match(method, url.replaceAll("%", "%25"));
  }
}

class ParamsWithPrototype extends StrictOracle {
  override match(method: string, url: string): Match<string> | null {
    const match = super.match(method, url);
    return match && { ...match, params: { ...match.params } };
  }
}

class UnsortedMethods extends StrictOracle {
  override allowedMethods(url: string): string[] {
    return super.allowedMethods(url).toReversed();
  }
}

const FAULTS = [
  [FirstMatchWins, 'of "/a", the order is'],
  [UndecodedParams, '"/:a" matches "/%C3%A9"'],
  [ParamsWithPrototype, "params inherit nothing"],
  [UnsortedMethods, "allowedMethods() lists"],
  [Oracle<string>, "add() throws a RangeError"],
] as const;

for (const [Faulty, detectedBy] of FAULTS) {
  Deno.test(`testMatcher() detects ${Faulty.name}: ${detectedBy}`, () => {
    const tests = testMatcher(() => new Faulty());
    const test = tests.find(({ name }) => name.startsWith(detectedBy));
    assert(test !== undefined, detectedBy);
    assertThrows(() => test.run());
  });
}
