import config from "../../deno.json" with { type: "json" };
import { cached, filesBelow, hashOfLibrary } from "../offline/cache.ts";
import { deno } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";

const ROOT = new URL("../../", import.meta.url);

/** The files of a package, by paths such as `/mod.ts`. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** A JSR of one package on the loopback interface. */
export interface Registry extends AsyncDisposable {
  /** The value for `JSR_URL`. */
  readonly url: string;
  /** The published files. */
  readonly files: Files;
}

/**
 * Serves the registry's interface. It accepts one version of one package from
 * `deno publish`, or a package published before, and serves it. Other requests
 * go to the real registry.
 */
export function serveRegistry(
  name: string,
  version: string,
  upstream: string,
  published?: Files,
): Registry {
  const files = new Map(published);
  const server = serveLocally((request) => {
    const path = new URL(request.url).pathname;
    if (path.startsWith("/api/")) return answerPublisher(request, files);
    if (!path.startsWith(`/${name}/`)) return forward(path, upstream);
    return answerReader(path.slice(name.length + 1), version, files);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    files,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Serves this package, if its files are given. */
export function servePackage(files?: Files): Registry {
  const upstream = Deno.env.get("JSR_URL") ?? "https://jsr.io/";
  return serveRegistry(config.name, config.version, upstream, files);
}

/** Returns the files that a real `deno publish` sends, once for each source. */
export async function publishPackage(): Promise<Files> {
  const key = [await hashOfLibrary()];
  const folder = await cached("published", key, publish);
  const files = new Map<string, Uint8Array>();
  for (const path of await filesBelow(folder)) {
    files.set(`/${path}`, await Deno.readFile(`${folder}/${path}`));
  }
  return files;
}

async function publish(folder: string): Promise<void> {
  await using registry = servePackage();
  const cache = await Deno.makeTempDir();
  try {
    const env = { JSR_URL: registry.url, DENO_DIR: cache };
    const flags = ["--token=none", "--allow-dirty", "--no-provenance"]
      // `deno task checks` checks the types, with a dry run.
      .concat("--no-check");
    await deno(["publish", ...flags], { cwd: ROOT, env });
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
  for (const [path, bytes] of registry.files) {
    const target = folder + path;
    const parent = target.slice(0, target.lastIndexOf("/"));
    await Deno.mkdir(parent, { recursive: true });
    await Deno.writeFile(target, bytes);
  }
}

async function answerPublisher(
  request: Request,
  files: Map<string, Uint8Array>,
): Promise<Response> {
  if (request.method === "GET") {
    const status = request.url.includes("/versions/") ? 404 : 200;
    return Response.json({}, { status });
  }
  const body = request.body!.pipeThrough(new DecompressionStream("gzip"));
  const tar = new Uint8Array(await new Response(body).arrayBuffer());
  for (const [path, bytes] of untar(tar)) files.set(`/${path}`, bytes);
  return Response.json({ id: "1", status: "success" });
}

async function answerReader(
  path: string,
  version: string,
  files: Files,
): Promise<Response> {
  if (path === "/meta.json") {
    return Response.json({ latest: version, versions: { [version]: {} } });
  }
  if (path === `/${version}_meta.json`) {
    return Response.json(await versionMeta(files));
  }
  const file = files.get(path.slice(version.length + 1));
  if (file === undefined) return new Response("Not Found", { status: 404 });
  return new Response(file.slice(), {
    headers: { "Content-Type": "text/typescript" },
  });
}

async function versionMeta(files: Files) {
  const manifest: Record<string, { size: number; checksum: string }> = {};
  for (const [path, bytes] of files) {
    const hash = await crypto.subtle.digest("SHA-256", bytes.slice());
    const checksum = `sha256-${new Uint8Array(hash).toHex()}`;
    manifest[path] = { size: bytes.length, checksum };
  }
  const { exports } = JSON.parse(text(files.get("/deno.json")!));
  return { manifest, exports };
}

async function forward(path: string, upstream: string): Promise<Response> {
  try {
    const response = await fetch(new URL(path.slice(1), upstream));
    return new Response(await response.arrayBuffer(), response);
  } catch {
    // A file URL of something that is not there.
    return new Response("Not Found", { status: 404 });
  }
}

/** Reads a tar archive: headers of 512 bytes, contents padded to as many. */
function* untar(tar: Uint8Array): Generator<[path: string, Uint8Array]> {
  for (let at = 0; at < tar.length && tar[at] !== 0;) {
    const path = text(tar.subarray(at, at + 100));
    const size = parseInt(text(tar.subarray(at + 124, at + 136)), 8);
    const isFile = tar[at + 156] === 0x30 || tar[at + 156] === 0;
    const start = at + 512;
    if (isFile) {
      yield [path.replace(/^\.\//, ""), tar.slice(start, start + size)];
    }
    at = start + Math.ceil(size / 512) * 512;
  }
}

/** Decodes the bytes before the first zero byte. */
function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}
