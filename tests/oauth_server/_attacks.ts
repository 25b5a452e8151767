/** Rows of attacks: each names what must come back. */
import { assertEquals } from "@std/assert";
import { startServer, targetOf, type TestServer } from "./_server.ts";

/** An attack. Its outcome is that of {@linkcode outcomeOf}, or another string. */
export type Attack = (app: TestServer) => string | Promise<string>;

/** A row: the attack in words, what must come back, and the attack. */
export type AttackRow = readonly [
  name: string,
  expected: string,
  attack: Attack,
];

/** Registers a test for each row, each with a new application. */
export function testAttacks(
  subject: string,
  rows: readonly AttackRow[],
  start: () => TestServer = startServer,
): void {
  for (const [name, expected, attack] of rows) {
    Deno.test(`${subject}: ${name}`, async () => {
      assertEquals(await attack(start()), expected);
    });
  }
}

/**
 * Returns a response in a few words: an error or tokens of the token endpoint, the
 * target of a redirect or a final page, a login, the consent page, or the status.
 */
export async function outcomeOf(
  response: Response | Promise<Response>,
): Promise<string> {
  const { headers, status } = await response;
  const text = await (await response).text();
  const [, page] = /^(\/\w*)\?returnTo=/.exec(headers.get("Location") ?? "") ??
    [];
  if (page !== undefined) return `login at ${page}`;
  if (headers.has("Location") || headers.has("Refresh")) {
    return targetOutcome(targetOf(await response));
  }
  if (headers.get("Content-Type")?.startsWith("application/json")) {
    const { access_token, error } = JSON.parse(text);
    const result = access_token === undefined ? error : "tokens";
    return result === undefined ? `${status}` : `${status} ${result}`;
  }
  return text.includes('name="decision"') ? "consent" : `${status}`;
}

function targetOutcome(target: URL): string {
  const { hash, origin, pathname, searchParams } = target;
  const place = origin === "null" ? target.protocol : origin;
  const result = searchParams.get("error") ??
    (searchParams.has("code") ? "code" : "nothing");
  return `${result} to ${place}${pathname}${hash}`;
}

/** Runs an action, and returns the outcomes of both in one string. */
export async function both(
  first: string | Promise<string>,
  second: () => string | number | Promise<string | number>,
): Promise<string> {
  return `${await first}, then ${await second()}`;
}

/** Changes a character of a string. */
export function changed(text: string, index: number): string {
  const at = index < 0 ? text.length + index : index;
  const character = text[at] === "A" ? "B" : "A";
  return text.slice(0, at) + character + text.slice(at + 1);
}
