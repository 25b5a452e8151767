import type { Template } from "../templates/template.ts";

/** The versions of the packages that projects depend on. */
export const VERSIONS = {
  "@gatehouse/web": "^0.1.0",
  "@cloudflare/workers-types": "^5.20261117.1",
  "@types/bun": "^1.4.5",
  "@types/node": "^24.15.0",
  postgres: "^3.4.7",
  srvx: "^1.0.8",
  typescript: "^7.0.2",
  wrangler: "^4.164.0",
} as const;

/** The supported versions of Node. */
export const NODE_RANGE = ">=24.15";

/** A package that projects may depend on. */
type PackageName = keyof typeof VERSIONS;

/** The parts of `package.json` that differ between runtimes. */
export interface PackageJSON {
  readonly name: string;
  /** The supported versions of Node, if npm installs the packages. */
  readonly node?: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: readonly PackageName[];
  readonly devDependencies: readonly PackageName[];
}

/** Returns the files of a project that npm or Bun installs. */
export function packageFiles(
  { name, node, scripts, dependencies = [], devDependencies }: PackageJSON,
): Record<string, string> {
  const json = {
    name,
    private: true,
    type: "module",
    ...node !== undefined && { engines: { node } },
    scripts,
    dependencies: {
      // JSR's registry for npm has the package under this name.
      "@gatehouse/web": `npm:@jsr/gatehouse__web@${VERSIONS["@gatehouse/web"]}`,
      ...pick(dependencies),
    },
    devDependencies: pick(devDependencies),
  };
  // An older version of Node finds no tests, which looks like success.
  const strict = node === undefined ? "" : "engine-strict=true\n";
  return {
    ".npmrc": `@jsr:registry=https://npm.jsr.io\n${strict}`,
    "package.json": toJSON(json),
  };
}

/** Returns the packages that the database needs. */
export function databasePackages({ database }: Template): PackageName[] {
  return database === "postgres" ? ["postgres"] : [];
}

/** Returns `tsconfig.json` with the types of a runtime. */
export function tsconfig(...types: string[]): string {
  return toJSON({
    compilerOptions: {
      module: "nodenext",
      target: "esnext",
      types,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
    },
  });
}

/** Formats JSON as `deno fmt` does. */
export function toJSON(value: unknown): string {
  return JSON.stringify(value, null, 2)
    // deno fmt puts arrays of strings on one line.
    .replace(
      /\[\n\s+("[^"]*"(?:,\n\s+"[^"]*")*)\n\s+\]/g,
      (_, items: string) => `[${items.replaceAll(/\n\s+/g, " ")}]`,
    ) + "\n";
}

function pick(names: readonly PackageName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, VERSIONS[name]]));
}
