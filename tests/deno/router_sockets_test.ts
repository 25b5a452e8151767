/**
 * Hostile request targets and hosts over real sockets: guards, mounts, hosts and
 * redirects see one URL, on each of the runtimes.
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { createSocketApp } from "./_socket_app.ts";

/** A server that runs, and how to stop it. */
interface Running extends AsyncDisposable {
  readonly port: number;
}

const APPLICATION = `export * from "${
  import.meta.resolve("./_socket_app.ts")
}";`;

const runtimes: Record<string, () => Promise<Running>> = {
  "Deno.serve": startDeno,
  "Bun.serve": startBun,
  "workerd": startWorkerd,
};

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

for (const [name, start] of Object.entries(runtimes)) {
  Deno.test(`guards, mounts and hosts see one URL on ${name}, whatever is sent`, async () => {
    await using server = await start();
    const answers = await Promise.all([
      ...TARGETS.map((target) => sendRaw(server.port, target, "localhost")),
      ...HOSTS.map((host) => sendRaw(server.port, "/open/x", host)),
    ]);
    let [told, guarded] = [0, 0];
    for (const [index, answer] of answers.entries()) {
      const shown = `${[...TARGETS, ...HOSTS][index]}: ${answer}`;
      // The runtime itself fails on some: then nothing of ours has answered.
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

/** What a handler told is what the platform makes of the text from the wire. */
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

/** Sends one request as it is written, and reads what comes within a moment. */
async function sendRaw(
  port: number,
  target: string,
  host: string,
): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => connection.close(), 1_500);
  let answer = "";
  try {
    const text =
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(text));
    const decoder = new TextDecoder();
    for await (const chunk of connection.readable) {
      answer += decoder.decode(chunk, { stream: true });
    }
    return answer;
  } catch {
    // One runtime neither answers a malformed request nor hangs up.
    return answer;
  } finally {
    clearTimeout(timer);
  }
}

function startDeno(): Promise<Running> {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    createSocketApp().fetch,
  );
  return Promise.resolve({
    port: server.addr.port,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

async function startBun(): Promise<Running> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(
    `${folder}/main.js`,
    `${await bundle(APPLICATION)}
const { fetch } = createSocketApp();
console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }).port);`,
  );
  const child = new Deno.Command(bunPath(), {
    args: ["main.js"],
    cwd: folder,
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    port: Number(new TextDecoder().decode(value)),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      while (!(await reader.read()).done);
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function startWorkerd(): Promise<Running> {
  const script = `${await bundle(APPLICATION)}
export default createSocketApp();`;
  const worker = await startWorker({ script });
  return {
    port: Number(worker.url.port),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}
