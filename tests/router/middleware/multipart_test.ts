/** Multipart forms, whose names and types are equal on all runtimes. */
import { createRouter } from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";

/** Sends a body as it is. Returns the entries of the form, or the status. */
async function send(body: BodyInit, type = "boundary=b"): Promise<unknown> {
  const router = createRouter({ middleware: [formData()] });
  router.post("/", async (context) => {
    const entries = [...context.get(FormData)].map(async ([name, value]) =>
      typeof value === "string"
        ? [name, value]
        // Bun adds a charset to some types.
        : [name, value.name, value.type.split(";")[0], await value.text()]
    );
    return Response.json(await Promise.all(entries));
  });
  const response = await router.fetch("https://example.com/", {
    method: "POST",
    headers: { "Content-Type": `multipart/form-data; ${type}` },
    body,
  });
  return response.status === 200 ? await response.json() : response.status;
}

/** Creates a form with one part. */
function part(headers: string, content = "x"): string {
  return `--b\r\n${headers}\r\n\r\n${content}\r\n--b--\r\n`;
}

const START = "Content-Disposition: form-data";

const filenames: [params: string, filename: unknown][] = [
  ['filename="a.txt"', "a.txt"],
  ['filename="a;b.txt"', "a;b.txt"],
  ["filename=a.txt", "a.txt"],
  ['filename=""', ""],
  ['filename="é.txt"', "é.txt"],
  ['filename="%22a%0D%0A.txt"', '"a\r\n.txt'],
  ['filename="100%25 %41.txt"', "100%25 %41.txt"],
  ['filename="a\\"b.txt"', 'a"b.txt'],
  ['filename="a\\\\b.txt"', "a\\b.txt"],
  ['filename="C:\\dir\\a.txt"', "C:\\dir\\a.txt"],
  ['filename="../../etc/passwd"', "../../etc/passwd"],
  ["filename=\"a.txt\"; filename*=UTF-8''b.txt", "a.txt"],
  ["filename*=UTF-8''%C3%A9.txt", "é.txt"],
  ["filename*=utf-8'en'a%20b.txt", "a b.txt"],
  ['FileName="a.txt"', "a.txt"],
  ['filename="a.txt"; size=3', "a.txt"],
  ["filename*=UTF-8''%FF", 400],
  ["filename*=UTF-8''%zz", 400],
  ["filename*=iso-8859-1''a", 400],
  ["filename*=a.txt", 400],
  ['filename="a.txt"; filename="b.txt"', 400],
  ['filename="a.txt', 400],
  ['filename="a\\"', "a\\"],
  ['filename="a\\"; size="3"', 400],
  ['filename="a\\\\"', "a\\"],
  ['filename="a"b.txt"', 400],
  ["filename=a b.txt", 400],
  ["filename=", 400],
  ["filename", 400],
  ['filename="a\nb.txt"', 400],
  ['filename="a\0b.txt"', 400],
  ['name="other"', 400],
];

for (const [params, filename] of filenames) {
  Deno.test(`formData() reads the name of a file from ${JSON.stringify(params)}`, async () => {
    const found = await send(part(`${START}; name="f"; ${params}`));
    assertEquals(
      found,
      typeof filename === "number"
        ? filename
        : [["f", filename, "text/plain", "x"]],
    );
  });
}

const bodies: [what: string, body: string, expected: unknown][] = [
  ["no part", "--b--", []],
  ["a field", part(`${START}; name="a"`), [["a", "x"]]],
  [
    "a name in lowercase headers",
    part('content-disposition:FORM-DATA;name="a"'),
    [
      ["a", "x"],
    ],
  ],
  ["a name with a colon", part(`${START}; name="é%22: [0]"`), [[
    'é": [0]',
    "x",
  ]]],
  ["an empty name", part(`${START}; name=""`), [["", "x"]]],
  ["a byte order mark", part(`${START}; name="a"`, "\ufeffx"), [[
    "a",
    "\ufeffx",
  ]]],
  ["line ends", part(`${START}; name="a"`, "\r\n\r\n"), [["a", "\r\n\r\n"]]],
  ["an empty field", part(`${START}; name="a"`, ""), [["a", ""]]],
  ["a part of the delimiter", part(`${START}; name="a"`, "-b--\r\n-b --b"), [[
    "a",
    "-b--\r\n-b --b",
  ]]],
  [
    "a type",
    part(`${START}; name="f"; filename="a"\r\nContent-Type: image/PNG`),
    [["f", "a", "image/png", "x"]],
  ],
  [
    "another header",
    part(`${START}; name="a"\r\nContent-Transfer-Encoding: 8bit`),
    [["a", "x"]],
  ],
  ["a delimiter as content", part(`${START}; name="a"`, "--b\r\nx"), 400],
  ["no header", "--b\r\n\r\nx\r\n--b--", 400],
  ["no name", part(START), 400],
  ["only a file name", part(`${START}; filename="a"`), 400],
  ["another disposition", part('Content-Disposition: file; name="a"'), 400],
  [
    "a longer disposition",
    part('Content-Disposition: form-data2; name="a"'),
    400,
  ],
  ["two dispositions", part(`${START}; name="a"\r\n${START}; name="b"`), 400],
  ["a folded header", part(`${START};\r\n name="a"`), 400],
  [
    "a space before the colon",
    part('Content-Disposition : form-data; name="a"'),
    400,
  ],
  ["a lone line feed", `--b\n${START}; name="a"\n\nx\n--b--`, 400],
  ["a preamble", `hello\r\n${part(`${START}; name="a"`)}`, 400],
  ["text after the end", `${part(`${START}; name="a"`)}--b\r\n`, 400],
  ["a longer boundary", part(`${START}; name="a"`, "x\r\n--bc"), 400],
  ["no end", `--b\r\n${START}; name="a"\r\n\r\nx`, 400],
  ["no end of the headers", `--b\r\n${START}; name="a"\r\n--b--`, 400],
  ["long headers", part(`${START}; name="${"a".repeat(9_000)}"`), 400],
  ["many headers", part("A: 1\r\n".repeat(2_000) + `${START}; name="a"`), 400],
  ["", "", 400],
];

for (const [what, body, expected] of bodies) {
  Deno.test(`formData() reads a multipart form with ${what || "an empty body"}`, async () => {
    assertEquals(await send(body), expected);
  });
}

Deno.test("formData() reads a row of backslashes in linear time", async () => {
  const row = "\\".repeat(8_000);
  for (const name of [`name="${row}`, `name="a"; filename="${row}x`]) {
    assertEquals(await send(part(`${START}; ${name}`)), 400);
  }
});

const types: [type: string, expected: unknown][] = [
  ['boundary="b"', [["a", "x"]]],
  ["charset=utf-8; Boundary=b ; x=y", [["a", "x"]]],
  ["boundary=b; boundary=c", 400],
  ['x="; boundary=b"; boundary=c', 400],
  ['boundary=b"c', 400],
  ['boundary="b"c', 400],
  ["boundary=b c", 400],
  ["boundary=", 400],
];

for (const [type, expected] of types) {
  Deno.test(`formData() reads a multipart form with the parameters ${type}`, async () => {
    assertEquals(await send(part(`${START}; name="a"`), type), expected);
  });
}

Deno.test("formData() reads what the runtime writes", async () => {
  const form = new FormData();
  // A carriage return would not do: workerd writes it into the header as it is.
  form.append('a"\nb', "\ufeffé");
  form.append("f", new File(["\0\xff"], 'é"\\;.css', { type: "text/css" }));
  form.append("empty", new File([], ""));
  // Each body has another boundary, so both come from one response.
  const written = new Response(form);
  const type = written.headers.get("Content-Type")!;
  const found = await send(
    await written.arrayBuffer(),
    type.slice("multipart/form-data; ".length),
  );
  const [field, file, empty] = found as string[][];
  assertEquals(field![1], "\ufeffé");
  assertEquals(file!.slice(2), ["text/css", "\0\xff"]);
  assertEquals(empty!.slice(0, 2), ["empty", ""]);
});
