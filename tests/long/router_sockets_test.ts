/**
 * Hostile request targets and hosts over real sockets: guards, mounts, hosts and
 * redirects see one URL, on each of the runtimes.
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { runtimesOf, sendRaw } from "../deno/_sockets.ts";

const APPLICATION = import.meta.resolve("../deno/_socket_app.ts");

/** Milliseconds: all are sent at once. */
const PATIENCE = 10_000;

const TARGETS = [
  "/open/x",
  "/open/a%2F..%2Fguarded",
  "/open/../guarded/x",
  "/open/%2e%2e/guarded/x",
  "/open\\..\\guarded\\x",
  "/./guarded/x",
  "/%2e/guarded/x",
  "/guarded\\x",
  "/mounted",
  "/mounted/x",
  "/mounted//guarded/x",
  "/mounted/../guarded/x",
  "/mounted/%2E%2e/guarded/x",
  "/mounted\\..\\open\\x",
  "/mounted/..%2fguarded/x",
  "/x/../mounted/./y/../z?q=/../",
  "/open/../mounted/%2e%2e/mounted/x",
  "//guarded/x",
  "/\\guarded/x",
  "/open/x/",
  "//evil.example/open/x/",
  "/mounted/x/",
  "/open/x?/guarded/x",
  "/open/x#/guarded/x",
  "http://admin.example/x",
  "https://admin.example/../x",
  "http://guest@admin.example/x",
  "http://localhost/guarded/x",
];

const HOSTS = [
  "admin.example",
  "ADMIN.example:80",
  "admin.example@localhost",
  "localhost@admin.example",
  "admin.example/mounted",
  "admin.example/guarded",
  "localhost\\guarded",
  "admin.example?",
  "admin.example#",
  "%61dmin.example",
];

for (const [name, start] of Object.entries(runtimesOf(APPLICATION))) {
  Deno.test(`guards, mounts and hosts see one URL on ${name} for any request`, async () => {
    await using server = await start();
    const answers = await Promise.all([
      ...TARGETS.map((target) =>
        sendRaw(server.port, target, "localhost", PATIENCE)
      ),
      ...HOSTS.map((host) => sendRaw(server.port, "/open/x", host, PATIENCE)),
    ]);
    let [told, guarded] = [0, 0];
    for (const [index, answer] of answers.entries()) {
      const shown = `${[...TARGETS, ...HOSTS][index]}: ${answer}`;
      // The runtime itself rejects some, so our handlers did not run.
      assertMatch(answer, /^(?:HTTP\/1\.1 [2345]\d\d|$)/, shown);
      const location = /^location: (.*)$/im.exec(answer)?.[1];
      if (location !== undefined) {
        const { origin } = new URL(location, "http://localhost");
        assertEquals(origin, "http://localhost", shown);
      }
      if (answer.includes("guarded") && answer.includes(" 403 ")) guarded++;
      const json = /\{.*\}/.exec(answer)?.[0];
      if (json === undefined) continue;
      told++;
      assertOneUrl(JSON.parse(json), shown);
    }
    assert(told >= 8 && guarded >= 4, `${told} told, ${guarded} guarded`);
  });
}

/** Asserts that a handler sees the URL as the platform parses it. */
function assertOneUrl(
  { raw, url, outside, prefix, route, params }: Record<string, string>,
  shown: string,
): void {
  assertEquals(url, new URL(raw!).href, shown);
  const { origin, pathname, search } = new URL(outside!);
  assert(!pathname.startsWith("/guarded"), shown);
  const inside = new URL(url!);
  assertEquals([inside.origin, inside.search], [origin, search], shown);
  const rest = pathname.slice(prefix!.length) || "/";
  assertEquals(inside.pathname, rest, shown);
  assert(pathname.startsWith(prefix!), shown);
  const pattern = route!.startsWith("/") ? { pathname: route } : route!;
  const groups = new URLPattern(pattern).exec(url!)?.pathname.groups;
  assert(groups !== undefined, shown);
  for (const [name, value] of Object.entries(groups)) {
    assertEquals(
      encodeURI((params as never)[name]),
      encodeURI(
        decodeURIComponent(value!),
      ),
      shown,
    );
  }
}
