import { type FormInput, formOf } from "./form_input.ts";

/** Options for {@linkcode formValues}. */
export interface FormValuesOptions {
  /**
   * Names to omit in addition to those that look secret.
   *
   * @default {[]}
   */
  readonly omit?: readonly string[] | undefined;
}

const SECRET =
  /passw|passcode|passphrase|pwd|secret|token|credential|otp|cvc|cvv|(?<![a-z])(?:pin|pass|mfa|api.?key)(?![a-z])/i;

/**
 * Returns the strings of a form, to show the form again with the user's input.
 *
 * Files and names that look secret (`password`, `newPassword`, `token`, `otp`, …)
 * are omitted, because a page must not contain a password.
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
 * @param options More names to omit.
 * @returns The first string of each name.
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
