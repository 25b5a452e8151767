import { assertEquals, assertStringIncludes } from "@std/assert";
import { turns } from "../../_wait.ts";
import { ClientWorld } from "./_client_world.ts";

const ID = "https://client.example/client.json";
const DOCUMENT = {
  client_id: ID,
  client_name: "Client",
  redirect_uris: ["https://client.example/callback"],
};

/** Cache headers, and the seconds for which the document is cached. */
const LIFETIMES: [headers: Record<string, string>, seconds: number][] = [
  [{}, 3_600],
  [{ "Cache-Control": "max-age=60" }, 60],
  [{ "Cache-Control": "public, MAX-AGE=60, must-revalidate" }, 60],
  [{ "Cache-Control": "max-age=60", "Age": "50" }, 10],
  [{ "Cache-Control": "max-age=60", "Age": "1" }, 59],
  [{ "Cache-Control": "max-age=60", "Age": "-50" }, 60],
  [{ "Cache-Control": "max-age=60", "Age": "x" }, 60],
  [{ "Cache-Control": "max-age=99999999999999999999" }, 86_400],
  [{ "Cache-Control": "max-age=x" }, 3_600],
  [{ "Cache-Control": "no-store, max-age=60" }, 0],
  [{ "Cache-Control": "no-cache" }, 0],
  [{ "Cache-Control": "max-age=0" }, 0],
];

for (const [headers, seconds] of LIFETIMES) {
  Deno.test(`resolve() caches a document with ${JSON.stringify(headers)} for ${seconds} s`, async () => {
    const world = new ClientWorld();
    world.publish(ID, DOCUMENT, headers);
    await world.clients.resolve(ID, "1");
    if (seconds > 0) {
      world.now += seconds * 1000 - 1;
      assertEquals((await world.clients.find(ID))?.name, "Client");
      await world.clients.resolve(ID, "1");
      assertEquals(world.fetched.length, 1);
      world.now += 1;
    }
    assertEquals(await world.clients.find(ID), null);
    await world.clients.resolve(ID, "1");
    assertEquals(world.fetched.length, 2);
  });
}

Deno.test("resolve() sends one request for concurrent calls", async () => {
  const world = new ClientWorld();
  world.publish(ID, DOCUMENT, { "Cache-Control": "no-store" });
  const clients = await Promise.all(
    Array.from({ length: 100 }, () => world.clients.resolve(ID, "1")),
  );
  assertEquals(clients.filter((client) => client?.id === ID).length, 100);
  assertEquals(world.fetched.length, 1);
});

Deno.test("resolve() fetches at most 32 documents at the same time", async () => {
  const world = new ClientWorld();
  const ids = Array.from({ length: 40 }, (_, index) => `${ID}/${index}`);
  for (const id of ids) world.publish(id, { ...DOCUMENT, client_id: id });
  const clients = await Promise.all(
    ids.map((id) => world.clients.resolve(id, id)),
  );
  assertEquals(clients.filter((client) => client !== null).length, 32);
  assertStringIncludes(world.errors[0]!, "too many others");
  // The places are free again.
  assertEquals((await world.clients.resolve(ids[39]!, "1"))?.id, ids[39]);
});

Deno.test("resolve() fetches at most three documents for a user at the same time, and still others for another", async () => {
  const world = new ClientWorld();
  const ids = Array.from({ length: 10 }, (_, index) => `${ID}/${index}`);
  for (const id of ids) world.publish(id, { ...DOCUMENT, client_id: id });
  world.publish(ID, DOCUMENT);
  const all = ids.map((id) => world.clients.resolve(id, "1"));
  assertEquals((await world.clients.resolve(ID, "2"))?.id, ID);
  const clients = await Promise.all(all);
  assertEquals(clients.filter((client) => client !== null).length, 3);
  assertStringIncludes(world.errors[0]!, "its user waits");
  assertEquals((await world.clients.resolve(ids[9]!, "1"))?.id, ids[9]);
});

Deno.test("resolve() gives up the places of requests that never end, as those that Workers drop", async () => {
  const silent = Promise.withResolvers<Response>();
  const world = new ClientWorld({
    cimd: {
      fetch: (url) =>
        url === ID ? Promise.resolve(Response.json(DOCUMENT)) : silent.promise,
    },
  });
  const waiting = Array.from(
    { length: 32 },
    (_, index) => world.clients.resolve(`${ID}/${index}`, `${index}`),
  );
  assertEquals(await world.clients.resolve(ID, "1"), null);
  // A request has five seconds, and may still end in the sixth.
  world.now += 5_999;
  assertEquals(await world.clients.resolve(ID, "1"), null);
  world.now++;
  assertEquals((await world.clients.resolve(ID, "1"))?.id, ID);
  silent.reject(new TypeError("the end"));
  await Promise.all(waiting);
});

Deno.test("resolve() keeps at most 1,000 documents", async () => {
  const world = new ClientWorld();
  for (let index = 0; index <= 1_000; index++) {
    const id = `${ID}/${index}`;
    world.publish(id, { ...DOCUMENT, client_id: id });
    await world.clients.resolve(id, "1");
  }
  assertEquals(await world.clients.find(`${ID}/0`), null);
  assertEquals((await world.clients.find(`${ID}/1`))?.id, `${ID}/1`);

  // A document that must not be cached evicts none.
  world.publish(ID, DOCUMENT, { "Cache-Control": "no-store" });
  assertEquals((await world.clients.resolve(ID, "1"))?.id, ID);
  assertEquals((await world.clients.find(`${ID}/1`))?.id, `${ID}/1`);

  // One that is fetched again is the newest, so the next one evicts another.
  world.now += 3_600_000;
  await world.clients.resolve(`${ID}/1`, "1");
  await world.clients.resolve(`${ID}/0`, "1");
  assertEquals((await world.clients.find(`${ID}/1`))?.id, `${ID}/1`);
});

Deno.test("the late end of a request that was given up leaves the next request for the same document", async () => {
  const respond: ((response: Response) => void)[] = [];
  const world = new ClientWorld({
    cimd: { fetch: () => new Promise((resolve) => respond.push(resolve)) },
  });
  const first = world.clients.resolve(ID, "1");
  await turns();
  // The server gives up the first request before it sends the next one.
  world.now += 6_000;
  const other = world.clients.resolve(`${ID}/other`, "1");
  await turns();
  const second = world.clients.resolve(ID, "1");
  await turns();
  respond[0]!(Response.json({ ...DOCUMENT, client_name: "Late" }));
  assertEquals((await first)?.name, "Late");
  world.now += 3_600_000;
  const third = world.clients.resolve(ID, "1");
  await turns();
  assertEquals(respond.length, 3);
  respond[1]!(Response.json(DOCUMENT));
  respond[2]!(Response.json(DOCUMENT));
  const found = await Promise.all([other, second, third]);
  assertEquals(found.map((client) => client?.name), [
    ...[undefined, "Client", "Client"],
  ]);
});
