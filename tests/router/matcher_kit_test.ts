/** The contract of matchers: who passes it, and what it notices. */
import { assert, assertThrows } from "@std/assert";
import {
  ArrayMatcher,
  type Match,
  type RoutePattern,
} from "@gatehouse/web/fetch-router";
import { testMatcher } from "@gatehouse/web/fetch-router/testing";
import { Oracle } from "./_oracle.ts";

/** The oracle, which also refuses duplicates. */
class StrictOracle extends Oracle<string> {
  readonly #known = new Set<string>();

  override add(method: string, pattern: RoutePattern, data: string): void {
    const key = `${method} ${pattern.source.replace(/:\w+/g, ":")}`;
    if (this.#known.has(key)) throw new RangeError(`${key} is there already`);
    this.#known.add(key);
    super.add(method, pattern, data);
  }
}

for (const { name, run } of testMatcher(() => new ArrayMatcher<string>())) {
  Deno.test(`ArrayMatcher: ${name}`, run);
}

for (const { name, run } of testMatcher(() => new StrictOracle())) {
  Deno.test(`native patterns in a list: ${name}`, run);
}

/** Matchers that break the contract, and a test that has to notice. */
class FirstWins extends StrictOracle {
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

class Undecoded extends StrictOracle {
  override match(method: string, url: string): Match<string> | null {
    return super.match(method, url.replaceAll("%", "%25"));
  }
}

class WithPrototype extends StrictOracle {
  override match(method: string, url: string): Match<string> | null {
    const match = super.match(method, url);
    return match && { ...match, params: { ...match.params } };
  }
}

class MethodsUnsorted extends StrictOracle {
  override allowedMethods(url: string): string[] {
    return super.allowedMethods(url).toReversed();
  }
}

const FAULTS = [
  [FirstWins, 'of "/a", the order is'],
  [Undecoded, '"/:a" matches "/%C3%A9"'],
  [WithPrototype, "params inherit nothing"],
  [MethodsUnsorted, "allowedMethods() lists"],
  [Oracle<string>, "add() throws a RangeError"],
] as const;

for (const [Faulty, notices] of FAULTS) {
  Deno.test(`testMatcher() notices a matcher as ${Faulty.name}: ${notices}`, () => {
    const tests = testMatcher(() => new Faulty());
    const test = tests.find(({ name }) => name.startsWith(notices));
    assert(test !== undefined, notices);
    assertThrows(() => test.run());
  });
}
