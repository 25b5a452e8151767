import { checkoutConfig } from "../deno/_programs.ts";

/** The configuration of a type check. */
export interface TypeCheckOptions {
  /**
   * Options of the compiler.
   *
   * @default {those of Deno}
   */
  readonly compilerOptions?: Readonly<Record<string, boolean>>;
  /**
   * The types of modules that Deno does not have, by specifier.
   *
   * @default {{}}
   */
  readonly stubs?: Readonly<Record<string, string>>;
  /**
   * Additional imports.
   *
   * @default {{}}
   */
  readonly imports?: Readonly<Record<string, string>>;
}

/** A message of the compiler. */
export interface TypeError {
  /** The path of the program. */
  readonly path: string;
  /** The line of the program, from 1. */
  readonly line: number;
  /** The lines of the message, without the code that it shows. */
  readonly message: string;
}

/**
 * Compiles programs that import this checkout as the package. All of them are
 * compiled at once, because each run of the compiler checks the whole library.
 *
 * @param programs The programs, by path.
 */
export async function typeErrorsOf(
  programs: Readonly<Record<string, string>>,
  { compilerOptions, stubs = {}, imports = {} }: TypeCheckOptions = {},
): Promise<TypeError[]> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    const config = JSON.parse(checkoutConfig());
    Object.assign(config.imports, imports);
    for (const [specifier, source] of Object.entries(stubs)) {
      const name = `./${specifier.replace(":", "_")}_stub.ts`;
      await Deno.writeTextFile(`${folder}/${name}`, source);
      config.imports[specifier] = name;
    }
    await Deno.writeTextFile(
      `${folder}/deno.json`,
      JSON.stringify({ ...config, compilerOptions }),
    );
    for (const [path, source] of Object.entries(programs)) {
      const parent = path.split("/").slice(0, -1).join("/");
      await Deno.mkdir(`${folder}/${parent}`, { recursive: true });
      await Deno.writeTextFile(`${folder}/${path}`, source);
    }
    const args = ["check", "--quiet", "--unstable-kv"];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...args, ...Object.keys(programs)],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    const output = new TextDecoder().decode(stderr);
    const errors = readErrors(output, new URL(`file://${folder}/`).href);
    // It has not compiled them, or the library has an error.
    if (success !== (errors.length === 0)) throw new Error(output);
    return errors;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Reads the messages about files in a folder. */
function readErrors(output: string, folder: string): TypeError[] {
  const errors: TypeError[] = [];
  for (const text of output.split(/^(?=TS\d+ \[ERROR\])/m)) {
    const [message = "", place = ""] = text.split(/^ +at /m);
    if (!place.startsWith(folder)) continue;
    const [, path = "", line] = /^(.+):(\d+):\d+/.exec(
      place.slice(folder.length),
    )!;
    // The last two lines are the line of code and its underline.
    const lines = message.trimEnd().split("\n").slice(0, -2);
    errors.push({ path, line: Number(line), message: lines.join("\n") });
  }
  return errors;
}
