/** 100,000 hostile requests to `forwardTo`, as bytes over TCP. */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { forwardTo } from "@gatehouse/web/auth/provider-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { AttackGenerator, readingsOf } from "../deno/_forward_attacks.ts";
import { Random } from "../router/_random.ts";
import { serveLocally } from "../deno/_serve.ts";

const REQUESTS = 100_000;
const CONNECTIONS = 32;
/** The requests that one connection sends at once. */
const BATCH = 25;
/** The milliseconds after which a connection counts as waiting. */
const IDLE = 1_000;

const TOKEN = "the-token-of-the-user-0123456789";

/** The paths of the API that the application allows. */
const ALLOWED = /^\/v1\/(?:notes|notes\/[^/]+|files\/.*)$/s;

// Deno counts the unread bodies of refused requests, which it closes itself.
const options = { sanitizeResources: false };

Deno.test(
  "forwardTo() reaches no other host and no other path in 100,000 hostile requests",
  options,
  async () => {
    // To repeat a run, set SEED to the number that it printed.
    const seed = Number(
      Deno.env.get("SEED") ?? crypto.getRandomValues(new Uint32Array(1))[0],
    );
    console.log(`seed ${seed}`);
    const problems: string[] = [];
    let forwarded = 0;
    let outside = 0;
    await using other = serveLocally(() => {
      outside++;
      return new Response("other");
    });
    await using api = serveLocally((request) => {
      forwarded++;
      const problem = problemOf(request, `127.0.0.1:${api.addr.port}`);
      if (problem !== null) problems.push(`${problem}: ${request.url}`);
      return new Response("api");
    });
    const router = createRouter();
    router.mount(
      "/api",
      forwardTo(`http://127.0.0.1:${api.addr.port}/v1`, {
        tokens: {
          get: () => Promise.resolve({ ok: true, accessToken: TOKEN }),
        },
        paths: {
          "/notes": ["GET", "POST"],
          "/notes/:id": ["GET", "PUT", "DELETE"],
          "/files/*": ["GET", "PUT"],
        },
        onError: () => {},
        responseTimeout: IDLE / 4,
      }),
    );
    await using app = serveLocally(router.fetch);

    const random = new Random(seed);
    const host = `127.0.0.1:${other.addr.port}`;
    const attacks = new AttackGenerator(random, host);
    const statuses: Record<string, number> = {};
    let left = REQUESTS;
    const attack = async () => {
      while (left > 0) {
        const count = Math.min(BATCH, left);
        left -= count;
        let batch = Array.from({ length: count }, () => attacks.next());
        while (batch.length > 0) {
          const answers = await send(app.addr.port, batch);
          for (const status of answers) {
            statuses[status] = (statuses[status] ?? 0) + 1;
          }
          // The server closes the connection after a malformed request.
          batch = batch.slice(Math.max(1, answers.length));
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, attack));

    console.log(statuses, `${forwarded} forwarded`);
    assertEquals(problems.slice(0, 10), []);
    assertEquals(outside, 0);
    // Most attacks are refused, and many honest names pass.
    assertGreater(forwarded, REQUESTS / 50);
    for (const status of ["200", "400", "404", "405", "501"]) {
      assert(statuses[status] > 100, status);
    }
    assertEquals(statuses["500"] ?? 0, 0);
  },
);

Deno.test("readingsOf() finds the other readings of a path", () => {
  const outside = [
    "/v1/files/../admin",
    "/v1/files/..%2fadmin",
    "/v1/files/%252e%252e/admin",
    "/v1/files/..;/admin",
    "/v1/files/..\\admin",
    "/v1/files/%ef%bc%8e%ef%bc%8e/admin",
    "/v1/notes/7%2f8",
    "/v1/notes//7/8",
    "/v1/admin",
  ];
  for (const path of outside) {
    assert(![...readingsOf(path)].every(isAllowed), path);
  }
  for (
    const path of ["/v1/notes", "/v1/notes/caf%C3%A9", "/v1/files/a/100%25"]
  ) {
    assert([...readingsOf(path)].every(isAllowed), path);
  }
});

function isAllowed(path: string): boolean {
  return ALLOWED.test(path);
}

/** Returns the reason why a request must not have reached the API. */
function problemOf(request: Request, host: string): string | null {
  const { headers, method } = request;
  const path = request.url.slice(request.url.indexOf("/", 8)).split("?")[0];
  if (![...readingsOf(path)].every(isAllowed)) return "another path";
  const isListed = method === "GET" || method === "HEAD" ||
    method === "POST" && path === "/v1/notes" ||
    method === "PUT" && path !== "/v1/notes" ||
    method === "DELETE" && path.startsWith("/v1/notes/");
  if (!isListed) return `another method ${method}`;
  if (headers.get("Host") !== host) return "another Host";
  if (headers.get("Authorization") !== `Bearer ${TOKEN}`) return "no token";
  const foreign = [...headers.keys()].filter((name) =>
    /^(?:cookie|origin|referer|forwarded|x-.*|upgrade|te|expect|sec-.*)$/
      .test(name) && name !== "sec-fetch-mode"
  );
  return foreign.length > 0 ? foreign.join() : null;
}

/** Sends requests over one connection, and returns the statuses. */
async function send(
  port: number,
  batch: readonly Uint8Array<ArrayBuffer>[],
): Promise<string[]> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const end = "GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const requests = new Blob([...batch, end]).stream();
  const writing = requests.pipeTo(connection.writable, { preventClose: true })
    .catch(() => {});
  let text = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const decoder = new TextDecoder("latin1");
    const reader = connection.readable.getReader();
    while (true) {
      // The server waits for the rest of some requests.
      timer = setTimeout(() => reader.cancel(), IDLE);
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) break;
      text += decoder.decode(value);
    }
  } catch {
    // A reset connection.
  }
  clearTimeout(timer);
  await writing;
  try {
    connection.close();
  } catch {
    // Both streams have closed it.
  }
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)];
  return statuses.map(([, status]) => status).slice(0, batch.length);
}
