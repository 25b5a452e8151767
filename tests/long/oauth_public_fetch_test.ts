/**
 * The fetch of metadata documents on Deno, Bun and Node, with real sockets: a
 * hostile server with TLS, and a name server that changes its answers.
 */
import { assert, assertEquals, assertLess } from "@std/assert";
import { createCertificate, isOpenSSLInstalled } from "../deno/_certificate.ts";
import { serveLocally } from "../deno/_serve.ts";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { startWorker } from "../runtimes/workers.ts";
import {
  HostileServer,
  NameServer,
  RESPONSES,
  type Zone,
} from "../deno/_hostile_documents.ts";

const ROOT = new URL("../../", import.meta.url);

/** The modules of the library that a program imports. */
const IMPORTS = `
import { createMemorySessionStore } from "@gatehouse/web/session";
import { createClients } from ${module("create_clients.ts")};
import { createPinnedFetch, publicFetch } from ${module("_public_fetch.ts")};`;

function module(name: string): string {
  return JSON.stringify(new URL(`oauth_server/clients/${name}`, ROOT).href);
}

/** Resolves clients, and prints their names or the reasons. */
const PROGRAM = `${IMPORTS}
const { ids, nameServers, isLocal } = JSON.parse(process.argv[2]);
// Nothing listens on 127.0.0.9.
const local = ["127.0.0.1", "127.0.0.9"];
const fetch = isLocal
  ? createPinnedFetch({ nameServers, isAllowed: (ip) => local.includes(ip) })
  : createPinnedFetch({ nameServers });
const outcomes = await Promise.all(ids.map(async (id) => {
  let reason = null;
  const clients = createClients({
    issuer: "https://app.example",
    store: createMemorySessionStore(),
    cimd: { fetch, onError: ({ message }) => void (reason = message) },
  });
  const startedAt = performance.now();
  const client = await clients.resolve(id, "1");
  const elapsed = performance.now() - startedAt;
  return { id, name: client?.name ?? null, reason, elapsed };
}));
console.log(JSON.stringify(outcomes));`;

/** The result for one client id. */
interface Outcome {
  readonly id: string;
  readonly name: string | null;
  readonly reason: string | null;
  /** Milliseconds. */
  readonly elapsed: number;
}

interface Input {
  readonly ids: readonly string[];
  readonly nameServers: readonly string[];
  /** `true` if two local addresses are allowed, else public ones. */
  readonly isLocal: boolean;
}

const certificate = isOpenSSLInstalled
  ? await createCertificate("DNS:client.example,DNS:moving.example")
  : null;

/** The programs of the runtimes, and their arguments before the file. */
const RUNTIMES: [
  name: string,
  program: () => string | Promise<string>,
  args: string[],
][] = [
  ["Deno", () => Deno.execPath(), ["run", "-A", "--no-check"]],
  ["Bun", bunPath, []],
  ...NODE_VERSIONS.map((version): typeof RUNTIMES[number] => [
    `Node ${version}`,
    () => nodePath(version),
    [],
  ]),
];

/** Runs the program on a runtime, which must end by itself. */
async function run(
  [, program, args]: typeof RUNTIMES[number],
  input: Input,
): Promise<Outcome[]> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/main.mjs`, await bundle(PROGRAM));
    await Deno.writeTextFile(`${folder}/ca.pem`, certificate!.cert);
    const { stdout, stderr } = await new Deno.Command(await program(), {
      args: [...args, "main.mjs", JSON.stringify(input)],
      cwd: folder,
      env: {
        NODE_EXTRA_CA_CERTS: `${folder}/ca.pem`,
        DENO_CERT: `${folder}/ca.pem`,
        // A proxy would resolve names again. Nothing listens there.
        HTTPS_PROXY: "http://127.0.0.1:9",
        NODE_USE_ENV_PROXY: "1",
      },
    }).output();
    const [output, errors] = [stdout, stderr]
      .map((bytes) => new TextDecoder().decode(bytes));
    assert(output !== "", errors);
    return JSON.parse(output!);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The paths whose document is valid. */
const VALID = ["/valid", "/chunked", "/early-hints"];

/** The longest time of a request, in milliseconds, on a busy machine. */
const LONGEST = 9_000;

/** The most bytes that sockets and runtimes buffer of an endless response. */
const MOST_BYTES = 16_000_000;

for (const runtime of RUNTIMES) {
  Deno.test({
    name: `metadata documents of a hostile server harm nothing on ${
      runtime[0]
    }`,
    ignore: certificate === null,
    async fn() {
      await using server = new HostileServer(certificate!);
      await using names = await NameServer.start({
        "client.example": [["127.0.0.9", "127.0.0.1"]],
        "wrong-name.example": [["127.0.0.1"]],
      });
      const paths = Object.keys(RESPONSES);
      const urlOf = (path: string, host = "client.example") =>
        `https://${host}:${server.port}${path}`;
      const outcomes = await run(runtime, {
        ids: [
          ...paths.map((path) => urlOf(path)),
          urlOf("/valid", "wrong-name.example"),
        ],
        nameServers: [names.address],
        isLocal: true,
      });

      const accepted = outcomes.filter(({ name }) => name !== null)
        .map(({ id }) => id);
      assertEquals(accepted, VALID.map((path) => urlOf(path)));
      for (const { id, elapsed, reason } of outcomes) {
        assertLess(elapsed, LONGEST, id);
        assertEquals(reason === null, accepted.includes(id), id);
      }
      // Each request has the host of the URL, and no redirect was followed.
      const host = `client.example:${server.port}`;
      assertEquals(
        server.requests.toSorted(),
        paths.map((path) => host + path).toSorted(),
      );
      for (const [path, bytes] of server.sent) {
        assertLess(bytes, MOST_BYTES, path);
      }
      assertEquals(
        [...outcomes].pop()?.reason?.includes("wrong-name.example"),
        true,
      );
    },
  });

  Deno.test({
    name: `a name whose address changes is asked for once on ${runtime[0]}`,
    ignore: certificate === null,
    async fn() {
      await using server = new HostileServer(certificate!);
      // The second answer would be refused, if it were asked for.
      await using names = await NameServer.start({
        "client.example": [["127.0.0.1"], ["127.0.0.2"]],
        "moving.example": [["127.0.0.1", "127.0.0.2"]],
      });
      const ids = ["client.example", "moving.example"]
        .map((host) => `https://${host}:${server.port}/valid`);
      const input = { ids, nameServers: [names.address], isLocal: true };
      const [fixed, moving] = await run(runtime, input);
      assertEquals(fixed?.name, "Client");
      assertEquals(moving?.name, null);
      assert(moving?.reason?.includes("not public"));
      assertEquals(names.questions.toSorted(), [
        "client.example",
        "moving.example",
      ]);
      assertEquals(server.requests.length, 1);
    },
  });

  Deno.test({
    name: `no metadata document comes from a private address on ${runtime[0]}`,
    ignore: certificate === null,
    async fn() {
      await using server = new HostileServer(certificate!);
      await using names = await NameServer.start(PRIVATE);
      const ids = Object.keys(PRIVATE)
        .map((host) => `https://${host}:${server.port}/valid`);
      const outcomes = await run(runtime, {
        ids: [
          ...ids,
          ...OTHER_IDS.map((host) => `https://${host}:${server.port}/valid`),
        ],
        nameServers: [names.address],
        isLocal: false,
      });
      for (const { id, elapsed, name, reason } of outcomes) {
        assertEquals(name, null, id);
        assertLess(elapsed, LONGEST, id);
        const isAsked = ids.includes(id);
        // Other ids never lead to a request.
        assertEquals(reason !== null, isAsked, `${id} ${reason}`);
        const why = /not public|no address|no answer/;
        if (isAsked) assert(why.test(reason!), `${id} ${reason}`);
      }
      assertEquals(server.requests, []);
    },
  });
}

/** Names with an address that is not public, or without one. */
const PRIVATE: Zone = {
  "loopback.example": [["127.0.0.1"]],
  "loopback6.example": [["0:0:0:0:0:0:0:1"]],
  "zero.example": [["0.0.0.0"]],
  "private.example": [["10.0.0.1"]],
  "metadata.example": [["169.254.169.254"]],
  "metadata6.example": [["fd00:ec2:0:0:0:0:0:254"]],
  "shared.example": [["100.64.0.1"]],
  "mapped.example": [["0:0:0:0:0:ffff:7f00:1"]],
  "translated.example": [["64:ff9b:0:0:0:0:7f00:1"]],
  "six-to-four.example": [["2002:7f00:1:0:0:0:0:0"]],
  "mixed.example": [["192.0.43.10", "127.0.0.1"]],
  "mixed6.example": [["192.0.43.10", "0:0:0:0:0:0:0:1"]],
  "empty.example": [[]],
  "silent.example": [],
};

/** Hosts that no client id can have. */
const OTHER_IDS = ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "localhost"];

Deno.test("createClients() refuses Workers without the flag global_fetch_strictly_public", async () => {
  const script = await bundle(`${IMPORTS}
    const create = (cimd, clients) => {
      try {
        const issuer = "https://app.example";
        const store = createMemorySessionStore();
        return createClients({ issuer, store, cimd, clients }).hasDocuments;
      } catch (error) {
        return error.message;
      }
    };
    // While the module loads, as applications do.
    const jwksUri = "https://partner.example/jwks";
    const partner = { id: "1", name: "Partner", authentication: { jwksUri } };
    const found = [
      create(false),
      create({ fetch }, [partner]),
      create(),
      create(false, [partner]),
    ];
    export default { fetch: () => Response.json(found) };`);
  const flag = "global_fetch_strictly_public";
  // With `nodejs_compat`, Workers have node:https too.
  for (const flags of [[], ["nodejs_compat"]]) {
    for (const hasFlag of [false, true]) {
      const compatibilityFlags = hasFlag ? [...flags, flag] : flags;
      await using worker = await startWorker({ script, compatibilityFlags });
      const [off, custom, ...others] = await (await fetch(worker.url)).json();
      assertEquals([off, custom], [false, true]);
      if (hasFlag) assertEquals(others, [true, false]);
      else {
        for (const message of others) {
          assert(message.includes(`the compatibility flag ${flag}`));
        }
      }
    }
  }
});

Deno.test("Workers with the flag global_fetch_strictly_public fetch a metadata document", async () => {
  const id = "https://client.example/client.json";
  const document = {
    client_id: id,
    client_name: "Client",
    redirect_uris: ["https://client.example/callback"],
  };
  await using internet = serveLocally(() => Response.json(document));
  const script = await bundle(`${IMPORTS}
    const issuer = "https://app.example";
    const clients = createClients({ issuer, store: createMemorySessionStore() });
    export default {
      async fetch() {
        const client = await clients.resolve(${JSON.stringify(id)}, "1");
        return Response.json(client?.name ?? null);
      },
    };`);
  const address = `127.0.0.1:${internet.addr.port}`;
  await using worker = await startWorker({
    script,
    compatibilityFlags: ["global_fetch_strictly_public"],
    outboundService: { external: { address, http: {} } },
  });
  assertEquals(await (await fetch(worker.url)).json(), "Client");
});
