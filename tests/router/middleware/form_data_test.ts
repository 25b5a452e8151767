import { createRouter } from "@gatehouse/web/fetch-router";
import { formData, type FormDataOptions } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";

const origin = "https://example.com";

Deno.test("formData() reads urlencoded and multipart forms (spec 5.1.1)", async () => {
  assertEquals(await send(new URLSearchParams({ name: "Ada Lovelace" })), [
    200,
    "Ada Lovelace",
  ]);
  const form = new FormData();
  form.set("name", "Ada");
  form.set("photo", new File(["x"], "x.png"));
  assertEquals(await send(form), [200, "Ada"]);
});

Deno.test("formData() sets an empty form and does not read other bodies", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.post(
    "/",
    async (context) =>
      new Response(
        `${[...context.get(FormData)].length} ${await context.request.text()}`,
      ),
  );
  router.get(
    "/",
    (context) => new Response(`${[...context.get(FormData)].length}`),
  );
  const headers = { "Content-Type": "application/json" };
  const posted = await router.fetch(origin, {
    method: "POST",
    headers,
    body: "{}",
  });
  assertEquals(await posted.text(), "0 {}");
  assertEquals(await (await router.fetch(origin)).text(), "0");
});

const urlencoded = "application/x-www-form-urlencoded";

Deno.test("formData() reads a body from its first byte", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.post("/", (context) => Response.json([...context.get(FormData)]));
  const send = async (body: string) => {
    const headers = { "Content-Type": urlencoded };
    const init = { method: "POST", headers, body };
    return await (await router.fetch(origin, init)).json();
  };
  assertEquals(await send("?role=admin"), [["?role", "admin"]]);
  assertEquals(await send("\ufeffa=1&=2"), [["\ufeffa", "1"], ["", "2"]]);
  assertEquals(await send("&a=1"), [["a", "1"]]);
});

Deno.test("formData() does not read the body of a GET", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.get(
    "/",
    (context) => new Response(`${[...context.get(FormData)].length}`),
  );
  const request = new Request(origin, {
    method: "POST",
    headers: { "Content-Type": urlencoded },
    body: "a=1",
  });
  // The constructor rejects a GET with a body.
  Object.defineProperty(request, "method", { value: "GET" });
  const response = await router.fetch(request);
  assertEquals([await response.text(), request.bodyUsed], ["0", false]);
});
const hostile: [
  string,
  number,
  BodyInit,
  Record<string, string>,
  FormDataOptions?,
][] = [
  ["too large, with a Content-Length", 413, "a=b", {
    "Content-Type": urlencoded,
    "Content-Length": "99999999",
  }],
  [
    "too large, without a Content-Length",
    413,
    stream("a=" + "b".repeat(2 ** 21)),
    {
      "Content-Type": urlencoded,
    },
  ],
  ["too large for a custom limit", 413, "name=12345678", {
    "Content-Type": urlencoded,
  }, { maxBytes: 12 }],
  ["too many pairs", 413, "a&".repeat(101), { "Content-Type": urlencoded }],
  ["too many files", 413, files(11), {}],
  ["too many parts", 413, fields(101), {}],
  ["multipart without boundary", 400, "--undefined--\r\n", {
    "Content-Type": "multipart/form-data",
  }],
  [
    "multipart that ends early",
    400,
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
    { "Content-Type": "multipart/form-data; boundary=b" },
  ],
  [
    "multipart that ends early, after a false end",
    400,
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx --b-- y',
    { "Content-Type": "multipart/form-data; boundary=b" },
  ],
  [
    "multipart with an ambiguous boundary",
    400,
    '--ab\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--ab--\r\n--a\\b--',
    { "Content-Type": 'multipart/form-data; boundary="a\\b"' },
  ],
  ["multipart with an invalid body", 400, "\0\0\0", {
    "Content-Type": "multipart/form-data; boundary=b",
  }],
  ["compressed", 415, "a=b", {
    "Content-Type": urlencoded,
    "Content-Encoding": "gzip",
  }],
  ["another charset", 415, "a=b", {
    "Content-Type": `${urlencoded}; charset=utf-16`,
  }],
  ["a body that fails", 400, failing(), { "Content-Type": urlencoded }],
  ["a body that never arrives", 408, new ReadableStream(), {
    "Content-Type": urlencoded,
  }, { timeout: 10 }],
];

for (const [name, status, body, headers, options] of hostile) {
  Deno.test(`formData() responds with ${status} to a bad form: ${name}`, async () => {
    const router = createRouter({ middleware: [formData(options)] });
    router.post("/", () => new Response("reached"));
    const request = new Request(
      origin,
      { method: "POST", headers, body, duplex: "half" } as RequestInit,
    );
    const response = await router.fetch(request);
    assertEquals(response.status, status);
    assertEquals((await response.text()).length < 30, true);
  });
}

const odd: [string, string | null][] = [
  ["", null],
  ["&&&", null],
  ["name", ""],
  ["name=%", "%"],
  ["name=%zz", "%zz"],
  ["name=%ff", "\ufffd"],
  ["name=1&name=2", "1"],
  ["__proto__=1", null],
];

for (const [body, name] of odd) {
  Deno.test(`formData() reads the unusual form "${body}" without an error`, async () => {
    const router = createRouter({ middleware: [formData()] });
    router.post(
      "/",
      (context) => Response.json(context.get(FormData).get("name")),
    );
    const headers = { "Content-Type": urlencoded };
    const response = await router.fetch(origin, {
      method: "POST",
      headers,
      body,
    });
    assertEquals(await response.json(), name);
  });
}

async function send(body: BodyInit): Promise<[number, string]> {
  const router = createRouter({ middleware: [formData()] });
  router.post(
    "/",
    (context) => new Response(context.get(FormData).get("name") as string),
  );
  const response = await router.fetch(origin, { method: "POST", body });
  return [response.status, await response.text()];
}

function stream(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}

function failing(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.error(new Error("gone")),
  });
}

function files(count: number): FormData {
  const form = new FormData();
  for (let n = 0; n < count; n++) form.append("file", new File(["x"], `${n}`));
  return form;
}

function fields(count: number): FormData {
  const form = new FormData();
  for (let n = 0; n < count; n++) form.append("field", "x");
  return form;
}
