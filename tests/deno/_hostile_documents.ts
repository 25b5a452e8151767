import { createSocket, type Socket } from "node:dgram";
import type { Certificate } from "./_certificate.ts";

const encoder = new TextEncoder();

/** A response in parts, which may never end. */
type Parts = (host: string) => AsyncIterable<string> | Iterable<string>;

const head = (status: string, ...headers: string[]) =>
  [`HTTP/1.1 ${status}`, ...headers, "", ""].join("\r\n");

const json = (body: string, ...headers: string[]) =>
  head(
    "200 OK",
    "Content-Type: application/json",
    `Content-Length: ${encoder.encode(body).length}`,
    "Connection: close",
    ...headers,
  ) + body;

/** Returns the document of a client, which the test expects at its path. */
function documentAt(host: string, path: string): string {
  return JSON.stringify({
    client_id: `https://${host}${path}`,
    client_name: "Client",
    redirect_uris: ["https://client.example/callback"],
  });
}

/** Yields a part again and again, with a pause. */
async function* forever(part: string, pause: number, first = "") {
  yield first;
  while (true) {
    yield part;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const JSON_HEAD = head("200 OK", "Content-Type: application/json");
const KILOBYTES = "a".repeat(65_536);

/** The responses by path. */
export const RESPONSES: Readonly<Record<string, Parts>> = {
  "/valid": (host) => [json(documentAt(host, "/valid"))],
  "/chunked": (host) => {
    const body = documentAt(host, "/chunked");
    const parts = [...body].map((letter) => `1\r\n${letter}\r\n`);
    const chunked = "Transfer-Encoding: chunked";
    return [
      head("200 OK", "Content-Type: application/json", chunked),
      ...parts,
      "0\r\n\r\n",
    ];
  },
  "/early-hints": (host) => [
    head("103 Early Hints", "Link: </a>; rel=preload"),
    json(documentAt(host, "/early-hints")),
  ],
  "/other-id": (host) => [json(documentAt(host, "/valid"))],
  "/redirect": (host) => [
    head("302 Found", `Location: https://${host}/valid`, "Content-Length: 0"),
  ],
  "/metadata-service": () => [
    head(
      "307 Temporary Redirect",
      "Location: http://169.254.169.254/latest/meta-data/",
      "Content-Length: 0",
    ),
  ],
  "/gigabyte": () =>
    forever(
      KILOBYTES,
      0,
      head(
        "200 OK",
        "Content-Type: application/json",
        "Content-Length: 1073741824",
      ),
    ),
  "/endless": () => forever(KILOBYTES, 0, JSON_HEAD),
  "/drip": () => forever(" ", 100, JSON_HEAD),
  "/slow-head": () => forever("X: a\r\n", 100, "HTTP/1.1 200 OK\r\n"),
  "/silent": () => forever("", 100),
  "/endless-head": () =>
    forever(`X: ${KILOBYTES}\r\n`, 0, "HTTP/1.1 200 OK\r\n"),
  "/endless-hints": () => forever(head("103 Early Hints"), 0),
  "/html": () => [
    head("200 OK", "Content-Type: text/html", "Content-Length: 2") + "{}",
  ],
  "/gzip": (host) => [
    json(documentAt(host, "/gzip"), "Content-Encoding: gzip"),
  ],
  "/gzip-twice": (host) => [
    json(documentAt(host, "/gzip-twice"), "Content-Encoding: gzip, gzip"),
  ],
  "/status-999": () => [head("999 Strange", "Content-Length: 0")],
  "/status-0": () => [head("0 Strange", "Content-Length: 0")],
  "/status-101": () => [
    head("101 Switching Protocols", "Upgrade: x", "Connection: Upgrade"),
  ],
  "/status-204": () => [head("204 No Content")],
  "/not-http": () => ["SSH-2.0-OpenSSH_9.9\r\n"],
  "/two-lengths": () => [
    head("200 OK", "Content-Length: 1", "Content-Length: 2") + "{}",
  ],
  "/bad-chunk": () => [
    head(
      "200 OK",
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ) +
    "zz\r\n",
  ],
  "/cut-off": () => [
    head("200 OK", "Content-Type: application/json", "Content-Length: 9") +
    "{}",
  ],
  "/closes": () => [],
};

/** A server with TLS that answers with these responses. */
export class HostileServer implements AsyncDisposable {
  /** The paths and hosts of the requests. */
  readonly requests: string[] = [];
  /** The bytes that were sent, by path. */
  readonly sent = new Map<string, number>();
  readonly #listener: Deno.TlsListener;
  readonly #done: Promise<void>;
  readonly #open = new Set<Deno.TlsConn>();
  #isClosed = false;

  constructor({ cert, key }: Certificate) {
    this.#listener = Deno.listenTls({
      hostname: "127.0.0.1",
      port: 0,
      cert,
      key,
    });
    this.#done = this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async #accept(): Promise<void> {
    const connections: Promise<void>[] = [];
    try {
      for await (const connection of this.#listener) {
        const done = this.#answer(connection).catch(() => {})
          .finally(() => close(connection));
        connections.push(done);
      }
    } catch {
      // A client closes during the handshake.
      if (!this.#isClosed) return await this.#accept();
    }
    await Promise.all(connections);
  }

  async #answer(connection: Deno.TlsConn): Promise<void> {
    this.#open.add(connection);
    const request = await readHead(connection);
    const [, path = ""] = /^GET (\S+) /.exec(request) ?? [];
    const [, host = ""] = /^host: (.*)$/im.exec(request) ?? [];
    this.requests.push(`${host.trim()}${path}`);
    for await (const part of RESPONSES[path]?.(host.trim()) ?? []) {
      if (this.#isClosed) return;
      const bytes = encoder.encode(part);
      let written = 0;
      while (written < bytes.length) {
        written += await connection.write(bytes.subarray(written));
      }
      this.sent.set(path, (this.sent.get(path) ?? 0) + bytes.length);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#listener.close();
    for (const connection of this.#open) close(connection);
    await this.#done;
  }
}

/** Closes a connection, which may be closed already. */
function close(connection: Deno.TlsConn): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}

async function readHead(connection: Deno.TlsConn): Promise<string> {
  const buffer = new Uint8Array(8_192);
  let text = "";
  while (!text.includes("\r\n\r\n")) {
    const count = await connection.read(buffer);
    if (count === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return text;
}

/** The addresses of a name for each question, the last of them for all others. */
export type Zone = Readonly<Record<string, readonly (readonly string[])[]>>;

/** A name server that may change its answers. */
export class NameServer implements AsyncDisposable {
  /** The names of the questions for IPv4 addresses. */
  readonly questions: string[] = [];
  readonly #socket: Socket;
  readonly #zone: Zone;

  private constructor(socket: Socket, zone: Zone) {
    this.#socket = socket;
    this.#zone = zone;
    socket.on("message", (message, { address, port }) => {
      const answer = this.#answer(message);
      if (answer !== null) socket.send(answer, port, address);
    });
  }

  static async start(zone: Zone): Promise<NameServer> {
    const socket = createSocket("udp4");
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.bind(0, "127.0.0.1", resolve);
    await promise;
    return new NameServer(socket, zone);
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  #answer(message: Uint8Array): Uint8Array | null {
    const labels: string[] = [];
    let end = 12;
    while (message[end] !== 0) {
      const length = message[end]!;
      const label = message.subarray(end + 1, end + 1 + length);
      labels.push(new TextDecoder().decode(label));
      end += 1 + length;
    }
    const name = labels.join(".").toLowerCase();
    const type = message[end + 2];
    const versions = this.#zone[name];
    const asked = this.questions.filter((one) => one === name).length;
    if (type === 1) this.questions.push(name);
    if (versions?.length === 0) return null;
    const addresses = versions?.[Math.min(asked, versions.length - 1)] ?? [];
    const records = addresses.map(bytesOf)
      .filter(({ length }) => length === (type === 1 ? 4 : 16));
    return new Uint8Array([
      ...[message[0]!, message[1]!, 0x81, versions ? 0x80 : 0x83],
      ...[0, 1, 0, records.length, 0, 0, 0, 0],
      ...message.subarray(12, end + 5),
      ...records.flatMap((bytes) => [
        ...[0xc0, 12, 0, type!, 0, 1, 0, 0, 0, 0, 0, bytes.length],
        ...bytes,
      ]),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.close(() => resolve());
    await promise;
  }
}

/** Returns the bytes of an IPv4 address, or of the 8 groups of an IPv6 address. */
function bytesOf(address: string): number[] {
  return address.includes(":")
    ? address.split(":").flatMap((group) => {
      const value = parseInt(group, 16);
      return [value >> 8, value & 255];
    })
    : address.split(".").map(Number);
}
