import { assertEquals } from "@std/assert";
import { SessionStoreError } from "@gatehouse/web/session";

/** Messages of real drivers and databases, and their safe beginnings. */
const messages = [
  [
    "connect ECONNREFUSED 127.0.0.1:6379",
    "connect ECONNREFUSED 127.0.0.1:6379",
  ],
  [
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "WRONGTYPE Operation against a key holding the wrong kind of …",
  ],
  [
    "OOM command not allowed when used memory > 'maxmemory'.",
    "OOM command not allowed when used memory > …",
  ],
  [
    "ERR unknown command 'EVAL', with args beginning with: 's3cret' '1'",
    "ERR unknown command …",
  ],
  ["ERR wrong number of args: s3cret", "ERR wrong number of …"],
  [
    'invalid input syntax for type bigint: "s3cret"',
    "invalid input syntax for type bigint: …",
  ],
  ["Failed query: insert\nparams: s3cret", "Failed query: insert …"],
  ["duplicate key: {s3cret}", "duplicate key: …"],
  ["Key (id)=(s3cret) already exists.", "Key …"],
  [
    "D1_TYPE_ERROR: Type 'object' not supported for value 's3cret'",
    "D1_TYPE_ERROR: Type …",
  ],
  ["request to https://user:s3cret@db.example failed", "request to https …"],
  [`no room for ${"s3cret".repeat(8)}`, "no room for …"],
  ["%7B%22s3cret%22", "…"],
  ["no ".repeat(100), `${"no ".repeat(100).slice(0, 160)} …`],
] as const;

for (const [message, kept] of messages) {
  Deno.test(`SessionStoreError keeps "${kept.slice(0, 40)}" of a driver's message`, () => {
    const error = new SessionStoreError("save", { cause: new Error(message) });
    assertEquals(error.cause, { name: "Error", message: kept });
  });
}

Deno.test("SessionStoreError keeps only the name, message and code of its cause", () => {
  const driver = Object.assign(new TypeError("no room"), {
    code: "ENOSPC",
    command: { name: "EVAL", args: ["s3cret"] },
    parameters: ["s3cret"],
    detail: "s3cret",
  });
  const { cause } = new SessionStoreError("save", { cause: driver });
  assertEquals(cause, {
    name: "TypeError",
    message: "no room",
    code: "ENOSPC",
  });
  const wrapper = new Error("no room", { cause: driver });
  assertEquals(new SessionStoreError("save", { cause: wrapper }).cause, {
    name: "Error",
    message: "no room",
    code: "ENOSPC",
  });
});

Deno.test("SessionStoreError has a safe cause for anything that a driver throws", () => {
  const causeOf = (cause: unknown) =>
    new SessionStoreError("save", { cause }).cause;
  assertEquals(causeOf(undefined), undefined);
  assertEquals("cause" in new SessionStoreError("save"), false);
  const nothing = { name: "Error", message: "" };
  for (const thrown of ["s3cret", null, 7, ["s3cret"], () => "s3cret"]) {
    assertEquals(causeOf(thrown), nothing);
  }
  assertEquals(
    causeOf({ name: "a s3cret", message: ["s3cret"], code: "a s3cret" }),
    nothing,
  );
});
