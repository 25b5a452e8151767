import { readText } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import type { Input } from "./actions/call.ts";
import { inputNameOf } from "./definition/input_names.ts";
import type { Names } from "./definition/names.ts";
import { isObject } from "./option_checks.ts";

/**
 * The maximum number of bytes in a request, and the time to read them, in
 * milliseconds.
 */
export const LIMITS = { maxBytes: 65_536, timeout: 10_000 };

/**
 * Reads the input of a form or of a JSON request.
 *
 * @returns The input, or the status of the error.
 */
export async function readInput(
  context: RequestContext,
  names: Names,
): Promise<Input | 400 | 408 | 413> {
  const { request } = context;
  const type = request.headers.get("Content-Type") ?? "";
  return /^application\/json\b/i.test(type)
    ? await readJSON(context)
    : formInput(context.get(FormData), names);
}

async function readJSON(
  context: RequestContext,
): Promise<Input | 400 | 408 | 413> {
  const text = await readText(context, LIMITS);
  if (typeof text === "number") return text;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return 400;
    const { fields, ...others } = value;
    if (others.passkey !== undefined) {
      // Passkeys are read from the form.
      const form = new FormData();
      form.set("passkey", JSON.stringify(others.passkey));
      context.set(FormData, form);
    }
    return new Map([
      ...Object.entries(others),
      ...Object.entries(Object(fields))
        .map(([name, field]) => [inputNameOf(name), field] as const),
    ]);
  } catch {
    return 400;
  }
}

function formInput(form: FormData, { fields = {} }: Names): Input {
  const input = new Map<string, unknown>();
  for (const [name, value] of form) {
    if (typeof value === "string" && !input.has(name)) input.set(name, value);
  }
  // Browsers do not send an empty checkbox.
  for (const [name, { input: kind }] of Object.entries(fields)) {
    const key = inputNameOf(name);
    if (kind === "checkbox") input.set(key, form.has(key));
  }
  return input;
}
