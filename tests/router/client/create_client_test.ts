import { createClient } from "@gatehouse/web/client";
import { createRouter } from "@gatehouse/web/fetch-router";
import { get, post, put, route } from "@gatehouse/web/fetch-router/routes";
import { object } from "@gatehouse/web/data-schema";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { createServer, routes } from "../_client.ts";

const baseUrl = "https://notes.example";

function newClient() {
  return createClient(routes, { baseUrl, fetch: createServer().fetch });
}

Deno.test("createClient() calls a route with params and returns the body", async () => {
  const client = newClient();
  for (const id of ["7", 7]) {
    const result = await client.notes.show({ params: { id } });
    assert(result.ok);
    assertEquals(result.status, 200);
    assertEquals(result.body, { id: 7, text: "Tea" });
    assertEquals(result.response.status, 200);
  }
});

Deno.test("a call sends a query with numbers and repeated names", async () => {
  const client = newClient();
  const all = await client.notes.index();
  assertEquals(all.ok && all.body, [{ id: 7, text: "Tea" }]);
  const query = { q: "e", limit: 1, tag: ["a", "b"] };
  const found = await client.notes.index({ query });
  assert(found.ok);
  assertEquals(found.response.headers.get("X-Tags"), "a,b");
  const none = await client.notes.index({ query: { q: "x" } });
  assertEquals(none.ok && none.body, []);
});

Deno.test("a call sends JSON", async () => {
  const client = newClient();
  const created = await client.notes.create({ json: { text: "Milk" } });
  assert(created.ok);
  assertEquals(created.status, 201);
  const params = { id: created.body.id };
  const changed = await client.notes.update({ params, json: { text: "Oat" } });
  assertEquals(changed.ok && changed.body.text, "Oat");
});

Deno.test("a response without a body has undefined as its body", async () => {
  const client = newClient();
  const removed = await client.notes.destroy({ params: { id: 7 } });
  assertEquals([removed.ok, removed.status, removed.body], [
    true,
    204,
    undefined,
  ]);
  const head = await newClient().notes.check({ params: { id: 7 } });
  assertEquals([head.ok, head.body], [true, undefined]);
});

Deno.test("an error has problem details, and the route's body if it is declared", async () => {
  const client = newClient();
  const missing = await client.notes.show({ params: { id: 8 } });
  assert(!missing.ok);
  assertEquals(missing.reason, "declared");
  assertEquals(missing.problem, {
    title: "Not Found",
    status: 404,
    detail: "There is no such note",
  });
  assertEquals(missing.body, undefined);

  const taken = await client.notes.create({ json: { text: "Tea" } });
  assert(!taken.ok && taken.reason === "declared");
  assertEquals(taken.body.taken, "Tea");
  assertEquals(taken.problem, { title: "Status 409", status: 409 });
});

Deno.test("an error that is not declared has problem details", async () => {
  const client = newClient();
  const long = { text: "x".repeat(21) };
  const invalid = await client.notes.create({ json: long });
  assert(!invalid.ok);
  assertEquals(invalid.reason, "status");
  assertEquals(invalid.status, 422);
  assertEquals(invalid.problem.errors, [{
    in: "json",
    pointer: "#/text",
    detail: "Expected length at most 20",
  }]);
});

Deno.test("a form is sent with its values as strings, nested and repeated", async () => {
  const result = await newClient().order({
    form: {
      title: "Tea & co",
      count: 2,
      paid: true,
      due: new Date("2026-11-23T10:00:00Z"),
      tags: ["a", "b"],
      place: { city: "Rome" },
      items: [{ name: "Leaf" }, { name: "Cup" }],
    },
  });
  assert(result.ok);
  assertEquals(result.body, {
    title: "Tea & co",
    count: 2,
    paid: true,
    due: "2026-11-23T10:00:00.000Z",
    tags: ["a", "b"],
    place: { city: "Rome" },
    items: [{ name: "Leaf" }, { name: "Cup" }],
  });
});

Deno.test("a form with files is multipart", async () => {
  const photo = new File(["1234"], "a.png");
  const more = [new File(["1"], "b.png"), new File(["12"], "c.png")];
  const client = newClient();
  const sent = await client.upload({ form: { title: "Photos", photo, more } });
  const names = ["Photos", "a.png 4", "b.png 1", "c.png 2"];
  assertEquals(sent.ok && sent.body, names);

  const form = new FormData();
  form.set("title", "Photos");
  for (const file of [photo]) form.append("photo", file);
  for (const file of more) form.append("more", file);
  const again = await client.upload({ form });
  assertEquals(again.ok && again.body, names);
});

Deno.test("a body of bytes has the type of the route, the blob or the call", async () => {
  const routes = route({
    png: put("/png", { body: "image/png", responses: { 200: {} } }),
    image: put("/image", { body: ["image/png", "image/jpeg"] }),
    json: post("/json", { json: object({}), responses: { 200: {} } }),
    none: post("/none", { responses: { 200: {} } }),
  });
  const sent: [type: string | null, bytes: number[]][] = [];
  const client = createClient(routes, {
    baseUrl: "https://api.example",
    async fetch({ body, headers }) {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer());
      sent.push([headers.get("Content-Type"), [...bytes]]);
      return new Response();
    },
  });
  const bytes = new Uint8Array([1, 2]);
  await client.png({ body: bytes });
  await client.png({ body: new Blob([bytes]) });
  await client.png({ body: new Blob([bytes], { type: "image/gif" }) });
  await client.image({ body: bytes.buffer });
  await client.image({ body: new Blob([bytes], { type: "image/jpeg" }) });
  await client.image({
    body: bytes,
    headers: { "Content-Type": "image/jpeg" },
  });
  assertEquals(sent, [
    ["image/png", [1, 2]],
    ["image/png", [1, 2]],
    ["image/gif", [1, 2]],
    [null, [1, 2]],
    ["image/jpeg", [1, 2]],
    ["image/jpeg", [1, 2]],
  ]);
  const check = () => {
    // @ts-expect-error The body is missing.
    client.png();
    // @ts-expect-error The route accepts no JSON.
    client.png({ json: {} });
    // @ts-expect-error The route accepts no bytes.
    client.json({ body: bytes });
    // @ts-expect-error The route accepts no bytes.
    client.none({ body: bytes });
  };
  assertEquals(typeof check, "function");
});

Deno.test("a route that accepts both gets JSON or a form", async () => {
  const client = newClient();
  const json = await client.notes.either({ json: { text: "a b" } });
  assertEquals(json.ok && json.body, 'application/json {"text":"a b"}');
  const type = "application/x-www-form-urlencoded";
  for (const form of [{ text: "a b" }, new URLSearchParams("text=a+b")]) {
    const result = await client.notes.either({ form });
    assertEquals(result.ok && result.body, `${type} text=a+b`);
  }
});

Deno.test("a body of another type is its stream", async () => {
  const result = await newClient().picture();
  assert(result.ok);
  const bytes = await new Response(result.body).bytes();
  assertEquals([...bytes], [137, 80, 78, 71]);
});

Deno.test("a route without a description takes and returns anything", async () => {
  const client = newClient();
  const params = { "0": "a b/c" };
  const file = await client.files({ params, query: { v: 1 } });
  assertEquals(file.ok && file.body, "a b/c");
  const got = await client.echo();
  assertEquals((got.body as { method: string }).method, "GET");
  const posted = await client.echo({ json: [1] });
  const { method, body } = posted.body as { method: string; body: string };
  assertEquals([method, body], ["POST", "[1]"]);
});

Deno.test("headers of the call replace those of the client", async () => {
  let token = 0;
  const { fetch } = createServer();
  const client = createClient(routes, {
    baseUrl,
    fetch,
    headers: () => Promise.resolve({ Authorization: `Bearer ${++token}` }),
  });
  const headersOf = async (headers?: HeadersInit) => {
    const { body } = await client.echo({ headers });
    return (body as { headers: Record<string, string> }).headers;
  };
  assertEquals((await headersOf()).authorization, "Bearer 1");
  const { authorization, accept } = await headersOf({ accept: "text/html" });
  assertEquals([authorization, accept], ["Bearer 2", "text/html"]);
  assertEquals((await headersOf([["Authorization", "x"]])).authorization, "x");
  const fixed = createClient(routes, {
    baseUrl,
    fetch,
    headers: { "X-Key": "k" },
  });
  const { body } = await fixed.echo();
  assertEquals(
    (body as { headers: Record<string, string> }).headers["x-key"],
    "k",
  );
});

Deno.test("a base URL with a path is in front of every path", async () => {
  for (const end of ["", "/"]) {
    const outer = createRouter();
    outer.mount("/v1", createServer());
    const client = createClient(routes, {
      baseUrl: new URL(`https://notes.example/v1${end}?q#h`),
      fetch: outer.fetch,
      headers: { "X-Key": "k" },
    });
    const { body } = await client.echo();
    assertEquals(
      (body as { headers: Record<string, string> }).headers["x-key"],
      "k",
    );
  }
});

Deno.test("validate: true returns the outputs of the schemas", async () => {
  const { fetch } = createServer();
  const client = createClient(routes, { baseUrl, fetch, validate: true });
  const result = await client.notes.show({ params: { id: "7" } });
  assert(result.ok);
  assertEquals(result.body.id.toFixed(1), "7.0");
});

Deno.test("createClient() throws without a valid base URL", () => {
  for (
    const baseUrl of [
      "",
      "/api",
      "api.example",
      "data:,x",
      "file:///x",
      "ftp://x",
    ]
  ) {
    assertThrows(
      () => createClient(routes, { baseUrl }),
      TypeError,
      `Cannot create a client of "${baseUrl}": invalid URL`,
    );
  }
});

Deno.test("names of routes may be those of other properties", async () => {
  const names = route({
    method: get("/method"),
    pattern: get("/pattern"),
    constructor: get("/constructor"),
    ["__proto__"]: get("/proto"),
    then: route("/then", { length: get("/length") }),
  });
  const client = createClient(names, {
    baseUrl,
    fetch: ({ url }) => Response.json(new URL(url).pathname),
  });
  const paths = [
    await client.method(),
    await client.pattern(),
    await client.constructor(),
    await client.then.length(),
  ].map(({ body }) => body);
  assertEquals(paths, ["/method", "/pattern", "/constructor", "/then/length"]);
});
