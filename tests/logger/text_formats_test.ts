import { assertEquals, assertMatch } from "@std/assert";
import { linesOf } from "./_lines.ts";

const brief: [path: string, init: RequestInit, line: RegExp][] = [
  ["/", {}, /^GET \/ 200 \d+ms$/],
  ["/users/7?tab=a%20b", {}, /^GET \/users\/7\?tab=a%20b 200 \d+ms$/],
  ["/nowhere", {}, /^GET \/nowhere 404 \d+ms$/],
  ["/", { method: "POST" }, /^POST \/ 405 \d+ms$/],
  ["/", { method: "HEAD" }, /^HEAD \/ 200 \d+ms$/],
  ["/throw", {}, /^GET \/throw 500 \d+ms$/],
];

for (const [path, init, line] of brief) {
  Deno.test(`logger() writes ${init.method ?? "GET"} ${path} in the short format (spec B.2)`, async () => {
    const lines = await linesOf({ format: "short" }, path, init);
    assertEquals(lines.length, 1);
    assertMatch(lines[0], line);
  });
}

const colors: [status: number, color: number | null][] = [
  [200, 32],
  [204, 32],
  [302, 36],
  [304, 36],
  [404, 33],
  [422, 33],
  [500, 31],
  [503, 31],
  [599, 31],
];

for (const [status, color] of colors) {
  Deno.test(`logger() colors ${status} by its class in the dev format (spec B.2)`, async () => {
    const lines = await linesOf({}, `/status/${status}`);
    const start = `GET /status/${status} \x1b[${color}m${status}\x1b[0m `;
    assertEquals(lines.length, 1);
    assertEquals(lines[0].slice(0, start.length), start);
    assertMatch(lines[0].slice(start.length), /^\d+ms$/);
  });
}

Deno.test("logger() writes the dev format without colors if colors is false", async () => {
  const [line] = await linesOf({ colors: false });
  assertMatch(line, /^GET \/ 200 \d+ms$/);
});

Deno.test("logger() writes the dev format by default (spec 2.8)", async () => {
  assertEquals(
    (await linesOf({}))[0].replace(/\d+ms/, ""),
    (await linesOf({ format: "dev" }))[0].replace(/\d+ms/, ""),
  );
});

Deno.test("logger() writes the combined format as Apache does (spec B.2)", async () => {
  const [line] = await linesOf({ format: "combined" }, "/?page=2", {
    headers: {
      "User-Agent": 'A "quoted" \\ agent',
      Referer: "https://a.example/",
    },
  });
  assertMatch(
    line,
    /^- - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/\?page=2 HTTP\/1\.1" 200 5 "https:\/\/a\.example\/" "A \\"quoted\\" \\\\ agent"$/,
  );
});

Deno.test("logger() writes missing fields as - in the combined format (spec B.2)", async () => {
  const [line] = await linesOf({ format: "combined" }, "/status/204");
  assertMatch(
    line,
    /^- - - \[.+\] "GET \/status\/204 HTTP\/1\.1" 204 - "-" "-"$/,
  );
});

Deno.test("logger() writes the time of the request, in UTC, in the combined format (spec B.2; ASVS 16.2.2)", async () => {
  const now = () => Date.UTC(2026, 10, 5, 23, 2, 3);
  const [line] = await linesOf({ format: "combined", now });
  assertMatch(line, /^- - - \[05\/Nov\/2026:23:02:03 \+0000\] /);
});

const users: [user: string | undefined, field: string][] = [
  ["ada", "ada"],
  [undefined, "-"],
  ["", '""'],
  ["ada lovelace", "ada\\x20lovelace"],
  ['a" 200', 'a\\"\\x20200'],
  ["a [20/Nov", "a\\x20\\x5b20/Nov"],
];

for (const [user, field] of users) {
  Deno.test(`logger() writes the user ${JSON.stringify(user)} as ${field} in the combined format`, async () => {
    const [line] = await linesOf({ format: "combined", user: () => user });
    assertEquals(line.split(" [")[0], `- - ${field}`);
  });
}
