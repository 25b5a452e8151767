import { assert, assertEquals, assertMatch } from "@std/assert";
import { refusedWith } from "../external/_refused.ts";

const failures: [string, unknown, string][] = [
  [
    "the cause",
    new TypeError("fetch failed", { cause: new Error("unknown issuer") }),
    "fetch failed: unknown issuer",
  ],
  [
    "the cause of the cause",
    new TypeError("fetch failed", {
      cause: new Error("client error", { cause: new Error("no route") }),
    }),
    "fetch failed: client error: no route",
  ],
  [
    "the code of a cause without a message",
    new TypeError("fetch failed", {
      cause: Object.assign(new Error(), { code: "ECONNREFUSED" }),
    }),
    "fetch failed: ECONNREFUSED",
  ],
  [
    "the first of several causes",
    new TypeError("fetch failed", {
      cause: new AggregateError([new Error("refused")]),
    }),
    "fetch failed: refused",
  ],
  ["an empty array of causes", new AggregateError([]), "fetch failed"],
  ["no error at all", "secret", "fetch failed"],
];

for (const [name, thrown, reason] of failures) {
  Deno.test(`the message of a network error contains the reason: ${name}`, async () => {
    const error = await refusedWith(() => Promise.reject(thrown));
    assertEquals(error.code, "token_request_failed");
    assert(error.message.endsWith(`/token": ${reason}`), error.message);
    assert(!error.message.includes("secret"));
  });
}

Deno.test("a cause that is its own cause does not loop", async () => {
  const error = new TypeError("fetch failed");
  error.cause = error;
  const { message } = await refusedWith(() => Promise.reject(error));
  assertMatch(message, /fetch failed$/);
});
