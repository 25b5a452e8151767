import { assertEquals } from "@std/assert";
import { until } from "../_wait.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";

/** One queue for all requests of the isolate, like that of the library. */
const WORKER = `
import { createPasswordQueue, verifyPassword } from "@gatehouse/web/auth/password";
const queue = createPasswordQueue({ running: 2, waiting: 2, longestRun: 2_000 });
let hanging = 0;
const for60Seconds = () => new Promise((end) => setTimeout(end, 60_000));
export default {
  async fetch({ url }) {
    if (url.endsWith("/count")) return new Response(String(hanging));
    if (url.endsWith("/hang")) {
      hanging++;
      await queue.run(for60Seconds);
    }
    try {
      const { ok } = await verifyPassword(null, "x", { queue, memory: 512 });
      return new Response(String(ok));
    } catch (error) {
      return new Response(error.code, { status: 503 });
    }
  },
};`;

Deno.test(
  "createPasswordQueue() serves other requests on Workers after clients have left",
  async () => {
    await using worker = await startWorker({ script: await bundle(WORKER) });
    const origin = worker.url;
    const clients = new AbortController();
    const hanging = [1, 2, 3, 4].map(() =>
      fetch(new URL("/hang", origin), clients)
        .catch((error: Error) => error.name)
    );
    // The queue is full until the clients leave.
    await until(async () => await answer(new URL("/count", origin)) === "4");
    assertEquals(await answer(origin), "password_queue_full");
    clients.abort();
    assertEquals(
      new Set(await Promise.all(hanging)),
      new Set(["AbortError"]),
    );

    await until(async () => await answer(origin) === "false");
  },
);

/** A runtime with the PBKDF2 of Workers in production, and a wrong Argon2. */
const ODD_WORKER = `
import { argon2Engines, verifyPassword } from "@gatehouse/web/auth/password";
const { deriveBits, importKey } = crypto.subtle;
SubtleCrypto.supports = () => true;
crypto.subtle.importKey = function (format, key, algorithm, ...rest) {
  const name = algorithm === "Argon2id" ? "PBKDF2" : algorithm;
  return importKey.call(this, "raw", key, name, ...rest);
};
crypto.subtle.deriveBits = function (algorithm, key, length) {
  if (algorithm.name === "Argon2id") return new ArrayBuffer(length / 8);
  if (algorithm.iterations <= 100_000) throw new Error("Not to be asked");
  throw new DOMException("Over 100000 iterations", "NotSupportedError");
};
const hash = "$pbkdf2-sha256$i=100001,l=32$AAECAwQFBgcICQoLDA0ODw" +
  "$oYg6Dn6pUqk8pL31PdqzDMdRCN8OJe4bQMRR/WW8qNM";
export default {
  async fetch() {
    return Response.json({
      engines: (await argon2Engines()).map(({ name }) => name),
      right: await verifyPassword(hash, "pässword"),
      wrong: await verifyPassword(hash, "password"),
    });
  },
};`;

Deno.test(
  "verifyPassword() works around missing and wrong algorithms of a runtime",
  async () => {
    await using worker = await startWorker({
      script: await bundle(ODD_WORKER),
    });
    const response = await fetch(worker.url);
    assertEquals(await response.json(), {
      engines: ["javascript"],
      right: { ok: true, needsRehash: true },
      wrong: { ok: false, needsRehash: false },
    });
  },
);

async function answer(origin: URL): Promise<string> {
  return await (await fetch(origin)).text();
}
