import { parseArgs, type ParseArgsConfig } from "node:util";

/** The options of a program. */
type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads the arguments of a program. A value may still have the wrong type: the error
 * messages of the runtimes differ, so the program checks it.
 *
 * @param refusal Creates the error of the program.
 * @throws {Error} If an option is unknown.
 */
export function readArguments<const O extends Options>(
  args: readonly string[],
  options: O,
  refusal: (reason: string) => Error,
): Pick<
  ReturnType<typeof parseArgs<{ options: O; strict: false }>>,
  "positionals" | "values"
> {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    tokens: true,
    strict: false,
  });
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    throw refusal(`the option "${token.rawName}" is unknown`);
  }
  return { values, positionals };
}
