import { type FormInput, formOf } from "./form_input.ts";

/** Options for {@linkcode formValues}. */
export interface FormValuesOptions {
  /**
   * Names to leave out besides those that look secret.
   *
   * @default {[]}
   */
  readonly omit?: readonly string[] | undefined;
}

const SECRET =
  /passw|passcode|passphrase|pwd|secret|token|credential|otp|cvc|cvv|(?<![a-z])(?:pin|pass|mfa|api.?key)(?![a-z])/i;

/**
 * Gives the texts of a form, for showing it again with what the user typed.
 *
 * Names that look secret (`password`, `newPassword`, `token`, `otp`, …) and
 * files are left out: a page must not carry a password back.
 *
 * @example Showing a form again
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { formValues } from "@gatehouse/web/data-schema/form-data";
 *
 * const form = new FormData();
 * form.set("email", "ada@example.com");
 * form.set("password", "correct horse");
 * const values = formValues(form);
 *
 * assertEquals(values.email, "ada@example.com");
 * assertEquals(values.password, undefined);
 * ```
 *
 * @param form The form.
 * @param options Further names to leave out.
 * @returns The first text of each name.
 */
export function formValues(
  form: FormInput,
  options: FormValuesOptions = {},
): Readonly<Record<string, string | undefined>> {
  const { omit = [] } = options;
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of formOf(form) ?? []) {
    if (typeof value !== "string" || name in values) continue;
    const words = name.replace(/(?<=[a-z])[A-Z]/g, " $&");
    if (SECRET.test(words) || omit.includes(name)) continue;
    values[name] = value;
  }
  return values;
}
