// Limits over a real network, where fetch decompresses, redirects and buffers.
import { assert, assertEquals, assertLess } from "@std/assert";
import { errorOf, Login } from "../auth/_login.ts";
import { TestProvider } from "../auth/_test_provider.ts";
import { serveLocally } from "./_serve.ts";

const json = { "Content-Type": "application/json" };

Deno.test("64 MB compressed to 64 kB are not read (RFC 9110, section 8.4)", async () => {
  const bomb = await gzip(new Uint8Array(64 * 1024 * 1024).fill(0x20));
  assertLess(bomb.byteLength, 100_000);
  const headers = { ...json, "Content-Encoding": "gzip" };
  const message = await failureOf(() => new Response(bomb, { headers }));
  assert(message.includes("more than 262144 bytes"), message);
});

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`a redirect with ${status} from the token endpoint is not followed (RFC 9700, section 4.12)`, async () => {
    const headers = { Location: "/elsewhere" };
    const message = await failureOf(
      () => new Response(null, { status, headers }),
    );
    assert(message.includes("it redirects"), message);
  });
}

Deno.test("an endless body is aborted after the timeout and its connection is closed", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const message = await failureOf(() => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("{"));
      },
      cancel: () => resolve(),
    });
    return new Response(body, { headers: json });
  }, { timeout: 500 });
  assert(message.includes("no answer within 500 ms"), message);
  await cancelled;
});

Deno.test("the message has the reason if a provider can't be reached: a closed port", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const errors: string[] = [];
  const provider = await TestProvider.create(`http://127.0.0.1:${port}`);
  const login = new Login(provider, {
    allowInsecureLoopback: true,
    fetch: undefined,
    onError: ({ message }) => errors.push(message),
  });
  assertEquals((await login.visit("/login")).status, 502);
  assert(/refused/i.test(errors[0]!), errors[0]);
});

/** Logs in at a provider on the network with this response of the token endpoint. */
async function failureOf(
  answer: () => Response,
  limits: { readonly timeout?: number } = {},
): Promise<string> {
  const seen: string[] = [];
  await using server = serveLocally(async (request) => {
    const { pathname } = new URL(request.url);
    seen.push(pathname);
    return pathname === "/token"
      ? answer()
      : await provider.fetch(request.url, { method: request.method });
  });
  const provider = await TestProvider.create(
    `http://127.0.0.1:${server.addr.port}`,
  );
  const login = new Login(provider, {
    allowInsecureLoopback: true,
    fetch: undefined,
    ...limits,
  });
  const outcome = await login.run();
  assertEquals(outcome.code, "token_request_failed");
  assertEquals(seen, ["/.well-known/openid-configuration", "/token"]);
  return String(errorOf(outcome).cause);
}

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).arrayBuffer();
}
