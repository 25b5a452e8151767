import ts from "npm:typescript@6.0.3";
import config from "../../deno.json" with { type: "json" };
import { cached, filesBelow, hashOfLibrary } from "../offline/cache.ts";
import { buildPackage } from "./_npm_package.ts";
import { serveLocally } from "./_serve.ts";

/** JSR's registry for npm, on the loopback interface. */
export interface NpmRegistry extends AsyncDisposable {
  /** The value for `@jsr:registry` in `.npmrc`. */
  readonly url: string;
}

/** A package that the registry serves. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly tarball: Uint8Array<ArrayBuffer>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Serves this package and its `@std` packages to npm and Bun. */
export async function serveNpmRegistry(): Promise<NpmRegistry> {
  const packages = await readPackages();
  const server = serveLocally(async (request) => {
    const { origin, pathname } = new URL(request.url);
    const [name, file] = decodeURIComponent(pathname.slice(1)).split("/-/");
    const found = packages.find((one) => one.name === name);
    if (found === undefined) return new Response(null, { status: 404 });
    if (file !== undefined) return new Response(found.tarball);
    return Response.json(await metadata(found, origin));
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Reads the packages, which are built once for each source. */
async function readPackages(): Promise<Package[]> {
  const key = [await hashOfLibrary(), Deno.env.get("JSR_URL") ?? ""];
  const folder = await cached("npm-registry", key, writePackages);
  const files = await filesBelow(folder);
  return await Promise.all(
    files.filter((file) => file.endsWith(".json")).map(async (file) => ({
      ...JSON.parse(await Deno.readTextFile(`${folder}/${file}`)),
      tarball: await Deno.readFile(
        `${folder}/${file.replace(/\.json$/, ".tgz")}`,
      ),
    })),
  );
}

/** Packs the package and its `@std` packages as JSR does. */
async function writePackages(folder: string): Promise<void> {
  const modules = await buildPackage();
  const own = config.name.replace("@", "@jsr/").replace(/\/(?=\w+$)/, "__");
  const packages = [await createPackage(modules, config.name, own)];
  for await (const { name } of Deno.readDir(`${modules}/@jsr`)) {
    packages.push(await createPackage(modules, `@jsr/${name}`));
  }
  for (const { tarball, ...described } of packages) {
    const base = `${folder}/${described.name.replace("/", "+")}`;
    await Deno.writeTextFile(`${base}.json`, JSON.stringify(described));
    await Deno.writeFile(`${base}.tgz`, tarball);
  }
}

async function createPackage(
  modules: string,
  folder: string,
  name = folder,
): Promise<Package> {
  const version = await versionOf(modules, folder);
  const dependencies: Record<string, string> = {};
  const files: [path: string, bytes: Uint8Array][] = [];
  for (const path of await filesBelow(`${modules}/${folder}`)) {
    if (path === "package.json") continue;
    const bytes = await Deno.readFile(`${modules}/${folder}/${path}`);
    files.push([path, bytes]);
    if (!path.endsWith(".js")) continue;
    for (const dependency of packagesOf(new TextDecoder().decode(bytes))) {
      dependencies[dependency] = await versionOf(modules, dependency);
    }
  }
  const manifest = await readManifest(modules, folder);
  const json = JSON.stringify({ ...manifest, name, version, dependencies });
  files.push(["package.json", new TextEncoder().encode(json)]);
  const archive = new Blob(
    files.flatMap(([path, bytes]) => tarEntry(`package/${path}`, bytes)),
  ).stream().pipeThrough(new CompressionStream("gzip"));
  const tarball = await new Response(archive).bytes();
  return { name, version, tarball, dependencies };
}

/** Returns the packages that the code of a module imports. */
function packagesOf(source: string): string[] {
  return ts.preProcessFile(source).importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => !/^(?:\.|node:)/.test(name))
    .map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

async function versionOf(modules: string, name: string): Promise<string> {
  if (name === config.name) return config.version;
  // The packages of JSR were installed without their versions.
  return (await readManifest(modules, name)).version ?? "1.99.0";
}

async function readManifest(
  modules: string,
  name: string,
): Promise<{ readonly version?: string }> {
  const path = `${modules}/${name}/package.json`;
  return JSON.parse(await Deno.readTextFile(path));
}

async function metadata(
  { name, version, tarball, dependencies }: Package,
  origin: string,
) {
  const hash = await crypto.subtle.digest("SHA-512", tarball);
  const dist = {
    tarball: `${origin}/${name}/-/${version}.tgz`,
    integrity: `sha512-${new Uint8Array(hash).toBase64()}`,
  };
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { name, version, dependencies, dist } },
  };
}

/** Returns the header and the padded contents of a file in a tar archive. */
function tarEntry(path: string, bytes: Uint8Array): Uint8Array<ArrayBuffer>[] {
  const header = new Uint8Array(512);
  const encoder = new TextEncoder();
  const write = (text: string, at: number) =>
    header.set(encoder.encode(text), at);
  const octal = (value: number, digits: number) =>
    value.toString(8).padStart(digits, "0");
  write(path, 0);
  write("0000644", 100);
  write(octal(bytes.length, 11), 124);
  write(octal(0, 11), 136);
  write("        0", 148); // The checksum counts as spaces; "0" is a file.
  write("ustar\x0000", 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  write(`${octal(checksum, 6)}\0 `, 148);
  const padding = new Uint8Array((512 - bytes.length % 512) % 512);
  return [header, new Uint8Array(bytes), padding];
}
