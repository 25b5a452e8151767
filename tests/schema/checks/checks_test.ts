import {
  array,
  bigint,
  type Check,
  date,
  instanceof_,
  number,
  parseSafe,
  type StandardSchemaV1,
  string,
} from "@gatehouse/web/data-schema";
import {
  email,
  endsWith,
  fileSize,
  fileType,
  hostname,
  includes,
  integer,
  ip,
  isoDate,
  isoDateTime,
  length,
  max,
  maxLength,
  min,
  minLength,
  multipleOf,
  pattern,
  startsWith,
  url,
  uuid,
} from "@gatehouse/web/data-schema/checks";
import { assertEquals, assertThrows } from "@std/assert";

interface Row {
  readonly name: string;
  readonly schema: StandardSchemaV1;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const text = (...checks: Check<string>[]) => string().pipe(...checks);
const file = (body: string, type: string) => new File([body], "a", { type });

const rows: readonly Row[] = [
  {
    name: "min()",
    schema: number().pipe(min(1)),
    good: [1, 1.5, 1e308],
    bad: [0.99, -1, NaN, Infinity],
  },
  {
    name: "max()",
    schema: number().pipe(max(1)),
    good: [1, 0, -1e308],
    bad: [1.01, -Infinity],
  },
  {
    name: "min() and max() of a bigint",
    schema: bigint().pipe(min(2n), max(2n ** 64n)),
    good: [2n, 2n ** 64n],
    bad: [1n, 2n ** 64n + 1n],
  },
  {
    name: "min() and max() of a date",
    schema: date().pipe(min(new Date(10)), max(new Date(20))),
    good: [new Date(10), new Date(20)],
    bad: [new Date(9), new Date(21)],
  },
  {
    name: "integer()",
    schema: number().pipe(integer()),
    good: [0, -5, 2 ** 53 - 1],
    bad: [0.5, 2 ** 53, 1e300],
  },
  {
    name: "multipleOf()",
    schema: number().pipe(multipleOf(0.01)),
    good: [0, 0.07, 1.15, -3.3, 1e6],
    bad: [0.005, 1.111],
  },
  {
    name: "multipleOf() a whole number",
    schema: number().pipe(multipleOf(3)),
    good: [0, 9, -3],
    bad: [1, 3.5, 1e-9],
  },
  {
    name: "minLength()",
    schema: text(minLength(3)),
    good: ["abc", "😀😀😀", "a😀b"],
    bad: ["", "ab", "😀😀", "a😀"],
  },
  {
    name: "maxLength()",
    schema: text(maxLength(3)),
    good: ["", "abc", "😀😀😀"],
    bad: ["abcd", "😀😀😀😀", "a".repeat(1000)],
  },
  {
    name: "length()",
    schema: text(length(2)),
    good: ["ab", "😀😀", "\ud800\ud800"],
    bad: ["a", "abc", "😀", ""],
  },
  {
    name: "length() of an array",
    schema: array(string()).pipe(length(2)),
    good: [["a", "b"]],
    bad: [[], ["a"], ["a", "b", "c"]],
  },
  {
    name: "minLength() and maxLength() of an array",
    schema: array(string()).pipe(minLength(1), maxLength(2)),
    good: [["a"], ["a", "b"]],
    bad: [[], ["a", "b", "c"]],
  },
  {
    name: "pattern()",
    schema: text(pattern(/^a+$/gi)),
    good: ["a", "AA", "a"],
    bad: ["", "b", "ab"],
  },
  {
    name: "startsWith()",
    schema: text(startsWith("a")),
    good: ["ab"],
    bad: ["ba", ""],
  },
  {
    name: "endsWith()",
    schema: text(endsWith("a")),
    good: ["ba"],
    bad: ["ab", ""],
  },
  {
    name: "includes()",
    schema: text(includes("a")),
    good: ["bab"],
    bad: ["b", ""],
  },
  {
    name: "fileSize()",
    schema: instanceof_(File).pipe(fileSize(3)),
    good: [file("", ""), file("abc", "")],
    bad: [file("abcd", "")],
  },
  {
    name: "fileType()",
    schema: instanceof_(File).pipe(fileType(["image/*", "text/plain"])),
    good: [
      file("", "image/png"),
      file("", "TEXT/plain"),
      file("", "text/plain;charset=utf-8"),
    ],
    bad: [file("", ""), file("", "text/html"), file("", "imagex/png")],
  },
  {
    // HTML's grammar, RFC 5321's lengths, and a domain with a real top label.
    name: "email()",
    schema: text(email()),
    good: [
      "a@b.co",
      "ada.lovelace@example.com",
      "user+tag@example.co.uk",
      "!#$%&'*+/=?^_`{|}~-@example.org",
      "a@xn--bcher-kva.example",
      "a@1.2.3.com",
      "a@a--b.example",
      "a@b.1-2",
      "UPPER@EXAMPLE.COM",
      `${"a".repeat(64)}@example.com`,
      `a@${"b".repeat(63)}.com`,
      `${"a".repeat(64)}@${`${"b".repeat(61)}.`.repeat(3)}com`,
    ],
    bad: [
      "",
      "a",
      "@",
      "a@",
      "@b.co",
      "a@b",
      "a@localhost",
      "a@b.co ",
      " a@b.co",
      "a@b.co\n",
      "a b@c.de",
      "a@b@c.de",
      ".a@b.co",
      "a.@b.co",
      "a..b@c.de",
      "a@.b.co",
      "a@b..co",
      "a@b.co.",
      "a@-b.co",
      "a@b-.co",
      "a@b.-co",
      "a@b.co-",
      "a@b.c-.de",
      "a@b_c.de",
      "a@[127.0.0.1]",
      "a@127.0.0.1",
      "a@b.1",
      "ä@example.com",
      "a@exämple.com",
      '"a"@example.com',
      "a@example.com>",
      "a,b@example.com",
      `${"a".repeat(65)}@example.com`,
      `a@${"b".repeat(64)}.com`,
      `a@b.${"c".repeat(64)}`,
      `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(63)}`,
      "a@kelvin\u212a.com",
    ],
  },
  {
    name: "url()",
    schema: text(url()),
    good: [
      "http://example.com",
      "https://example.com/a?b=c#d",
      "https://user:pass@example.com:8443/",
      "HTTPS://EXAMPLE.COM",
      "http://[::1]/",
      "http://localhost:8000",
      "https://exämple.com/ü",
    ],
    bad: [
      "",
      "example.com",
      "//example.com",
      "/path",
      "http://",
      "http://a b.com",
      "http://example.com:99999",
      "javascript:alert(1)",
      "java\nscript:alert(1)",
      "data:text/html,x",
      "ftp://example.com",
      " https://example.com",
      "https://example.com\n",
      "https://exa\tmple.com",
      "https:example.com",
      "https:/example.com",
      "https:///example.com",
      "https:\\\\example.com",
      "https://\\example.com",
      "https",
      "httpsx",
    ],
  },
  {
    name: "url() with other schemes",
    schema: text(url({ schemes: ["mailto"] })),
    good: ["mailto:ada@example.com"],
    bad: ["https://example.com"],
  },
  {
    name: "uuid()",
    schema: text(uuid()),
    good: [
      "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
      "00000000-0000-0000-0000-000000000000",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ],
    bad: [
      "",
      "f81d4fae7dec11d0a76500a0c91e6bf6",
      "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
      "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      "f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n",
    ],
  },
  {
    name: "isoDate()",
    schema: text(isoDate()),
    good: [
      "2026-11-20",
      "2024-02-29",
      "2000-02-29",
      "0000-01-01",
      "9999-12-31",
    ],
    bad: [
      "2025-02-29",
      "1900-02-29",
      "2024-09-31",
      "2026-04-31",
      "2026-13-01",
      "2026-00-10",
      "2026-01-00",
      "2026-1-1",
      "20261120",
      "+02026-11-20",
      "2026-11-20T00:00:00Z",
      "２０２６-11-20",
    ],
  },
  {
    // The examples of RFC 3339, section 5.8, and their neighbours.
    name: "isoDateTime()",
    schema: text(isoDateTime()),
    good: [
      "1985-04-12T23:20:50.52Z",
      "1996-12-19T16:39:57-08:00",
      "1990-12-31T23:59:60Z",
      "1990-12-31T15:59:60-08:00",
      "1937-01-01T12:00:27.87+00:20",
      "2026-11-20t17:55:48z",
      "2026-11-20T17:55:48.123456789Z",
    ],
    bad: [
      "2026-11-20",
      "2026-11-20T17:55:48",
      "2026-11-20 17:55:48Z",
      "2026-11-20T24:00:00Z",
      "2026-11-20T17:60:00Z",
      "1990-12-31T15:59:60Z",
      "1990-12-31T23:59:60+01:00",
      "2026-11-20T17:55:61Z",
      "2026-11-20T17:55:48+24:00",
      "2026-11-20T17:55:48+0100",
      "2026-11-20T17:55:48.Z",
      "2025-02-29T00:00:00Z",
      "2026-11-20T17:55Z",
    ],
  },
  {
    name: "ip()",
    schema: text(ip()),
    good: [
      "0.0.0.0",
      "255.255.255.255",
      "250.249.199.99",
      "192.0.2.1",
      // RFC 4291, section 2.2.
      "ABCD:EF01:2345:6789:ABCD:EF01:2345:6789",
      "2001:DB8:0:0:8:800:200C:417A",
      "2001:DB8::8:800:200C:417A",
      "FF01::101",
      "::1",
      "::",
      "::13.1.68.3",
      "::FFFF:129.144.52.38",
      "1:2:3:4:5:6:7::",
    ],
    bad: [
      "",
      "1.2.3",
      "1.2.3.4.5",
      "256.1.1.1",
      "01.2.3.4",
      "1.2.3.4/8",
      "1.2.3.-4",
      "0x7f.0.0.1",
      "2130706433",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1::2::3",
      ":::",
      ":1",
      "1:",
      "12345::",
      "::g",
      "fe80::1%eth0",
      "[::1]",
      "1:2:3:4:5:6:7:1.2.3.4",
      "1.2.3.4::",
      "::1.2.3",
    ],
  },
  {
    name: "ip() of one version",
    schema: text(ip({ version: 4 })),
    good: ["127.0.0.1"],
    bad: ["::1"],
  },
  {
    name: "ip() of the other version",
    schema: text(ip({ version: 6 })),
    good: ["::1"],
    bad: ["127.0.0.1"],
  },
  {
    name: "hostname()",
    schema: text(hostname()),
    good: [
      "localhost",
      "example.com",
      "a.b.c",
      "3com.com",
      "xn--bcher-kva.example",
      `${"a".repeat(63)}.com`,
    ],
    bad: [
      "",
      ".",
      "example.com.",
      "-a.com",
      "a-.com",
      "a..b",
      "a_b.com",
      "a b",
      "exämple.com",
      `${"a".repeat(64)}.com`,
      `${"a.".repeat(127)}b`,
    ],
  },
];

for (const { name, schema, good, bad } of rows) {
  Deno.test(`${name} tells good values from bad`, () => {
    const passes = (value: unknown) => parseSafe(schema, value).success;
    assertEquals(good.filter((value) => !passes(value)), []);
    assertEquals(bad.filter(passes), []);
    assertEquals(good.filter((value) => !passes(value)), []);
  });
}

Deno.test("lengths of strings are counted in characters, also with unpaired surrogates", () => {
  // One unit, a pair, and two halves that do not form a pair.
  for (const text of textsOf(["a", "\u{1f600}", "\ude00", "\ud83d"], 4)) {
    const size = [...text].length;
    for (let bound = 0; bound <= text.length + 1; bound++) {
      const passes = [minLength, maxLength, length].map((check) =>
        parseSafe(string().pipe(check(bound)), text).success
      );
      assertEquals(passes, [size >= bound, size <= bound, size === bound]);
    }
  }
});

/** Returns all strings of up to so many parts. */
function textsOf(parts: readonly string[], count: number): string[] {
  if (count === 0) return [""];
  return textsOf(parts, count - 1)
    .flatMap((text) => ["", ...parts].map((part) => text + part));
}

Deno.test("multipleOf() rejects a step that is not a positive number", () => {
  for (const step of [0, -1, NaN, Infinity]) {
    assertThrows(() => multipleOf(step), RangeError);
  }
});

const hostile = [
  (size: number) => "a".repeat(size),
  (size: number) => "a.".repeat(size / 2),
  (size: number) => `${"a".repeat(size - 1)}@`,
  (size: number) => `a@${"a-".repeat(size / 2)}`,
  (size: number) => `a@${"a.".repeat(size / 2)}`,
  (size: number) => "@".repeat(size),
  (size: number) => ":".repeat(size),
  (size: number) => "1".repeat(size),
  (size: number) => `${"1".repeat(size - 1)}.`,
  (size: number) => `http://${"a".repeat(size)}`,
  (size: number) => " ".repeat(size),
  (size: number) => "\ud800".repeat(size),
  (size: number) => "😀".repeat(size / 2),
];

const formats: Record<string, Check<string>> = {
  email: email(),
  url: url(),
  uuid: uuid(),
  isoDate: isoDate(),
  isoDateTime: isoDateTime(),
  ip: ip(),
  hostname: hostname(),
  // Below the length and above its half: only then are characters counted.
  minLength: minLength(600_000),
  maxLength: maxLength(10),
  length: length(10),
  startsWith: startsWith("b"),
  endsWith: endsWith("b"),
  includes: includes("ab"),
};

for (const [name, check] of Object.entries(formats)) {
  Deno.test(`${name}() reads 1 MB of a hostile string in linear time`, () => {
    const schema = string().pipe(check);
    for (const make of hostile) {
      const value = make(1_000_000);
      parseSafe(schema, value);
    }
  });
}

Deno.test("minLength() and maxLength() count code points for every mix of characters", () => {
  const parts = ["a", "ä", "\u{1f600}", "\ud800", "e\u0301"];
  for (let seed = 0; seed < 3000; seed++) {
    let text = "";
    for (let rest = seed; rest > 0; rest = Math.floor(rest / 5)) {
      text += parts[rest % 5];
    }
    const size = [...text].length;
    for (const [least, most] of [[1, 3], [2, 4], [3, 3], [0, 5]] as const) {
      const schema = string().pipe(minLength(least), maxLength(most));
      assertEquals(
        parseSafe(schema, text).success,
        size >= least && size <= most,
        `${JSON.stringify(text)} from ${least} to ${most}`,
      );
    }
  }
});

Deno.test("min() and max() agree with their bounds for unusual numbers and bounds", () => {
  const bounds = [-Infinity, -1, -0, 0, 2.5, Number.MAX_VALUE, Infinity, NaN];
  const values = [...bounds, 1, 3, Number.MIN_VALUE, -Number.MAX_VALUE];
  for (const bound of bounds) {
    for (const value of values) {
      const isFinite = Number.isFinite(value);
      assertEquals(
        parseSafe(number().pipe(min(bound)), value).success,
        isFinite && value >= bound,
      );
      assertEquals(
        parseSafe(number().pipe(min(bound), max(2)), value).success,
        isFinite && value >= bound && value <= 2,
      );
    }
  }
  assertEquals(parseSafe(number().pipe(min(2n)), 1).success, false);
  assertEquals(parseSafe(number().pipe(min(2n)), 2).success, true);
});

Deno.test("url() accepts no web address that URL refuses", () => {
  const hosts = ["a", "a1", "1a", "a.b", "a..b", "a.1", "a.0x1", "xn--a", ".a"];
  const rests = ["", "/", "/x y", "?q", "#h", "/%", "/%zz", "/ä", ":", ":80"];
  const more = [":99999", ":a", "\\a", "@b", "/..", "/\ud800", "?[]{}|^`"];
  for (const host of hosts) {
    for (const rest of [...rests, ...more]) {
      for (const scheme of ["http", "https", "HTTP", "ftp", "javascript"]) {
        const text = `${scheme}://${host}${rest}`;
        const expected = /^https?:/i.test(text) && !text.includes(" ") &&
          URL.canParse(text);
        assertEquals(
          parseSafe(string().pipe(url()), text).success,
          expected,
          text,
        );
      }
    }
  }
});

Deno.test("isoDate() accepts exactly the days of the calendar (RFC 3339, section 5.7)", () => {
  const schema = text(isoDate());
  for (const year of [1900, 2000, 2023, 2024]) {
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = [year, month, day]
          .map((part) => String(part).padStart(2, "0")).join("-");
        const time = new Date(Date.UTC(year, month - 1, day));
        const exists = time.toISOString().startsWith(date);
        assertEquals(parseSafe(schema, date).success, exists, date);
      }
    }
  }
});

for (const bound of [maxLength(10), length(10)]) {
  for (const isFirst of [true, false]) {
    Deno.test(`pattern() does not run on a string that ${bound.code} refuses ${isFirst ? "before" : "after"} it in the same pipe`, () => {
      const expression = pattern(/^(a+)+$/);
      const checks = isFirst ? [bound, expression] : [expression, bound];
      const schema = string().pipe(...checks);
      // The expression would take years.
      const result = parseSafe(schema, `${"a".repeat(200)}!`);
      assertEquals(
        result.success ? [] : result.issues.map(({ code }) => code),
        [bound.code],
      );
      assertEquals(parseSafe(schema, "a".repeat(10)).success, true);
      assertEquals(parseSafe(schema, "b".repeat(10)).success, false);
    });
  }
}
