/**
 * Prints the software bill of materials of the package, as CycloneDX JSON: the
 * packages that the published modules import, directly or not.
 *
 * `deno run --allow-read --allow-run tests/deno/_sbom.ts`
 */
import config from "../../deno.json" with { type: "json" };

/** The part of `deno info --json` that is read here. */
export interface ModuleGraph {
  /** The npm packages by their ID, such as `jose@6.0.0`. */
  readonly npmPackages?: Readonly<Record<string, NpmPackage>>;
  readonly modules: readonly Module[];
  readonly redirects: Readonly<Record<string, string>>;
}

interface Module {
  readonly specifier: string;
  /** The ID of its npm package. */
  readonly npmPackage?: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
  }[];
}

interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The IDs of the packages that it depends on. */
  readonly dependencies: readonly string[];
}

/** A CycloneDX document. */
export interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: {
    readonly timestamp: string;
    readonly component: Component;
  };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

interface Component {
  readonly type: "library";
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** The package to describe. */
export interface Package {
  readonly name: string;
  readonly version: string;
}

/**
 * Creates the bill of materials of a package from the graphs of its modules.
 *
 * @param root The package.
 * @param graphs The output of `deno info --json` for each entry point.
 * @param time The time of creation.
 * @returns The CycloneDX document.
 */
export function createSbom(
  root: Package,
  graphs: readonly ModuleGraph[],
  time: Date,
): Sbom {
  const component = jsrComponent(root);
  const components = new Map<string, Component>();
  const edges = new Map<string, Set<string>>();
  const add = (found: Component) => {
    components.set(found.purl, found);
    if (!edges.has(found.purl)) edges.set(found.purl, new Set());
    return found.purl;
  };
  add(component);
  for (const { npmPackages = {}, modules, redirects } of graphs) {
    const ids = Object.entries(npmPackages);
    const npm = new Map(ids.map(([id, one]) => [id, add(npmComponent(one))]));
    for (const [id, { dependencies }] of ids) {
      for (const one of dependencies) {
        edges.get(npm.get(id)!)!.add(npm.get(one)!);
      }
    }
    const owners = new Map(modules.map(({ specifier, npmPackage }) => [
      specifier,
      npmPackage === undefined
        ? add(jsrPackageOf(specifier) ?? component)
        : npm.get(npmPackage)!,
    ]));
    for (const { specifier, dependencies = [] } of modules) {
      const owner = owners.get(specifier)!;
      for (const { code } of dependencies) {
        const target = redirects[code?.specifier ?? ""] ?? code?.specifier;
        const used = owners.get(target ?? "");
        if (used !== undefined && used !== owner) edges.get(owner)!.add(used);
      }
    }
  }
  components.delete(component.purl);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    version: 1,
    metadata: { timestamp: time.toISOString(), component },
    components: [...components.values()],
    dependencies: Array.from(
      edges,
      ([ref, used]) => ({ ref, dependsOn: [...used].sort() }),
    ),
  };
}

/** Returns the JSR package of a module: `…/@std/http/1.0.0/cookie.ts`. */
function jsrPackageOf(specifier: string): Component | undefined {
  const [, name, version] =
    /\/(@[\w-]+\/[\w-]+)\/(\d+\.\d+\.\d+[^/]*)\//.exec(specifier) ?? [];
  return name === undefined || version === undefined
    ? undefined
    : jsrComponent({ name, version });
}

function npmComponent({ name, version }: Package): Component {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type: "library", "bom-ref": purl, ...groupOf(name), version, purl };
}

/**
 * Creates an npm package URL: JSR has no separate type and is an npm registry.
 */
function jsrComponent({ name, version }: Package): Component {
  const path = name.slice(1).replace("/", "__");
  const purl = `pkg:npm/%40jsr/${path}@${version}` +
    "?repository_url=https%3A%2F%2Fnpm.jsr.io";
  return { type: "library", "bom-ref": purl, ...groupOf(name), version, purl };
}

function groupOf(fullName: string): Pick<Component, "group" | "name"> {
  const slash = fullName.indexOf("/");
  return slash < 0
    ? { name: fullName }
    : { group: fullName.slice(0, slash), name: fullName.slice(slash + 1) };
}

/** Reads the module graph of each entry point. */
export async function readGraphs(): Promise<ModuleGraph[]> {
  const cwd = new URL("../../", import.meta.url);
  const graphs: ModuleGraph[] = [];
  for (const entry of Object.values(config.exports)) {
    const { success, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      { args: ["info", "--json", entry], cwd },
    ).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    graphs.push(JSON.parse(new TextDecoder().decode(stdout)));
  }
  return graphs;
}

/** Returns the modules that stand in for packages of JSR. */
export function standIns(graphs: readonly ModuleGraph[]): string[] {
  return graphs.flatMap(({ modules }) => modules)
    .map(({ specifier }) => specifier)
    .filter((specifier) =>
      specifier.startsWith("file:") && jsrPackageOf(specifier) !== undefined
    );
}

if (import.meta.main) {
  const graphs = await readGraphs();
  const [standIn] = standIns(graphs);
  if (standIn !== undefined) {
    throw new Error(`Cannot create SBOM of "${standIn}": it is a stand-in`);
  }
  console.log(JSON.stringify(createSbom(config, graphs, new Date()), null, 2));
}
