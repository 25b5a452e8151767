// Hostile requests as bytes, because fetch() would repair them.
import type { Random } from "../router/_random.ts";

/** A path, or a part of one that servers read differently. */
const PIECES = [
  ...["notes", "files", "admin", "v1", "api", "7", "a.b", "", " ", "*", "_"],
  ...["..", ".", "...", "%2e", "%2E%2e", ".%2e", "%252e%252e", "%u002e"],
  ...["/", "//", "///", "\\", "%2f", "%2F", "%5c", "%252f", "%255C", "/./"],
  ...["..;", "..;x=1", ";", ";/", "%3b", ";jsessionid=1", "..%3b"],
  ...["%00", "%0d%0a", "%09", "%20", "%7f", "%ff", "%c0%af", "%c0%ae%c0%ae"],
  ...["%e0%80%af", "%ef%bc%8f", "%ef%bc%8e%ef%bc%8e", "%e2%80%a5", "%ef%bc%85"],
  ...["%", "%2", "%zz", "%25", "%2525", "%61dmin", "ADMIN", "%41dmin"],
  ...["@", ":", ":80", "#", "?", "?x=1", "&", "=", "%3f", "%23", "%40"],
  ...["caf%C3%A9", "%F0%9F%91%A9", "100%25", "a+b", "it's(1)!"],
];

const METHODS = [
  ...["GET", "GET", "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"],
  ...["OPTIONS", "TRACE", "PROPFIND", "get", "QUERY"],
];

/** Creates hostile requests to an application that forwards `/api`. */
export class AttackGenerator {
  readonly #random: Random;
  /** The host of another server. */
  readonly #other: string;

  constructor(random: Random, other: string) {
    this.#random = random;
    this.#other = other;
  }

  /** Returns the bytes of a request. */
  next(): Uint8Array<ArrayBuffer> {
    const method = this.#random.pick(METHODS);
    const line = `${method} ${this.#target()} HTTP/1.1`;
    const head = [line, ...this.#headers(), ...this.#framing(method)];
    return latin1(`${head.join("\r\n")}`);
  }

  #target(): string {
    const random = this.#random;
    const path = this.#path();
    const other = this.#other;
    if (random.chance(0.8)) return path;
    return random.pick([
      `http://${other}${path}`,
      `http://user@${other}${path}`,
      `http://app.example@${other}${path}`,
      `https://${other}${path}`,
      `//${other}${path}`,
      `/\\${other}${path}`,
      `/api@${other}${path}`,
      `/api//${other}${path}`,
      `/api/http://${other}${path}`,
      `/api/files/http://${other}${path}`,
      `/api/notes/..//${other}/`,
      `/api:80@${other}/notes`,
      `${other}`,
      "*",
    ]);
  }

  #path(): string {
    const random = this.#random;
    const pieces = random.array(0, 4, () => this.#piece());
    const joint = random.pick(["", "/", "/"]);
    const start = random.pick([
      "/api/files/",
      "/api/files/",
      "/api/notes/",
      "/api/notes",
      "/api/",
      "/",
    ]);
    return start + pieces.join(joint);
  }

  #piece(): string {
    const random = this.#random;
    if (random.chance(0.85)) return random.pick(PIECES);
    // Any byte but those that end the line.
    const byte = random.pick([random.below(256), 33 + random.below(94)]);
    const isLineEnd = [0, 9, 10, 13, 32].includes(byte);
    return isLineEnd || random.chance(0.5)
      ? `%${byte.toString(16).padStart(2, "0")}`
      : String.fromCharCode(byte);
  }

  #headers(): string[] {
    const random = this.#random;
    const other = this.#other;
    const all = [
      "Cookie: session=stolen",
      "Authorization: Bearer foreign",
      `X-Forwarded-Host: ${other}`,
      `Forwarded: host=${other};proto=https`,
      "X-Forwarded-For: 127.0.0.1",
      "X-Forwarded-Prefix: /admin",
      "X-Original-URL: /v1/admin",
      "X-Rewrite-URL: /v1/admin",
      "X-HTTP-Method-Override: PATCH",
      "Connection: authorization",
      "Connection: keep-alive, host, sec-fetch-site",
      "Proxy-Connection: keep-alive",
      "TE: trailers",
      "Expect: x",
      `Origin: http://${other}`,
      `Referer: http://${other}/`,
      "Upgrade: h2c",
      "Upgrade: websocket",
      "Range: bytes=0-",
      "Accept: \x80\xff",
    ];
    return [
      `Host: ${random.pick(["app.example", "app.example", other, "", "a@b"])}`,
      "Sec-Fetch-Site: same-origin",
      ...random.array(0, 3, () => random.pick(all)),
    ];
  }

  /** Returns the end of the head and the body. Some bodies smuggle a request. */
  #framing(method: string): string[] {
    const random = this.#random;
    const hasBody = ["POST", "PUT", "PATCH"].includes(method);
    if (!hasBody || random.chance(0.3)) {
      return hasBody ? ["Content-Length: 0", "", ""] : ["", ""];
    }
    const body = random.pick([
      "x",
      "GET /v1/admin HTTP/1.1\r\nHost: x\r\n\r\n",
      "0\r\n\r\nGET /v1/admin HTTP/1.1\r\nHost: x\r\n\r\n",
    ]);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const length = `Content-Length: ${body.length}`;
    return random.pick([
      [length, "", body],
      [length, "", body],
      ["Transfer-Encoding: chunked", "", chunked],
      [length, "Transfer-Encoding: chunked", "", chunked],
      ["Transfer-Encoding: chunked", length, "", chunked],
      ["Transfer-Encoding: xchunked", length, "", body],
      ["Transfer-Encoding : chunked", length, "", body],
      [length, "Content-Length: 3", "", body],
    ]);
  }
}

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (char) => char.charCodeAt(0) & 255);
}

/**
 * Returns the paths that a server could read a path as: it may decode it several
 * times, fold characters, merge slashes and remove parameters.
 */
export function readingsOf(path: string): Set<string> {
  const readings = new Set([path]);
  // Each reading can be read once more, because loops over a set visit new items.
  for (const reading of readings) {
    if (readings.size > 200) throw new Error(`too many readings of ${path}`);
    for (const read of READERS) readings.add(read(reading));
  }
  return readings;
}

const READERS: readonly ((path: string) => string)[] = [
  (path) => path.replaceAll(/(?:%[\da-f]{2})+/gi, decode),
  (path) => path.replaceAll(/%([\da-f]{2})/gi, (_, hex) => byteOf(hex)),
  (path) => path.replaceAll("\\", "/"),
  (path) => path.normalize("NFKC"),
  (path) => path.replaceAll(/;[^/]*/g, ""),
  (path) => path.replaceAll(/\/{2,}/g, "/"),
  // deno-lint-ignore no-control-regex -- servers remove or cut at such characters
  (path) => path.replaceAll(/[\x00-\x1f\x7f]/g, ""),
  (path) => path.replaceAll(/[\s.]+(?=\/|$)/g, (dots) => dots.trim()),
  resolveDots,
];

function decode(escapes: string): string {
  const bytes = escapes.slice(1).split("%").map((hex) => parseInt(hex, 16));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function byteOf(hex: string): string {
  return String.fromCharCode(parseInt(hex, 16));
}

function resolveDots(path: string): string {
  const resolved: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") resolved.pop();
    else if (segment !== ".") resolved.push(segment);
  }
  return resolved.join("/");
}
