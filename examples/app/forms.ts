import {
  flatten,
  type Issue,
  type Schema,
  string,
} from "@gatehouse/web/data-schema";
import {
  email,
  fieldsMatch,
  maxLength,
  minLength,
} from "@gatehouse/web/data-schema/checks";
import { field, object } from "@gatehouse/web/data-schema/form-data";
import type { FormState } from "./pages/form_fields.ts";

/** Creates the schema of a required, trimmed string. */
function line(missing: string, most: number): Schema<string> {
  return string()
    .transform((text) => text.trim())
    .pipe(
      minLength(1, { message: missing }),
      maxLength(most, { message: `At most ${most} characters` }),
    );
}

/** A new password: long enough, and never trimmed. */
const newPassword = string().pipe(
  minLength(8, { message: "Password must be at least 8 characters" }),
  maxLength(1000, { message: "Password must be at most 1000 characters" }),
);

const name = line("Name is required", 100);

const passwordsMatch = { message: "Passwords do not match" };

/** The form of `/register` (spec 5.1.5). */
export const Registration = object({
  name: field(name),
  email: field(string().pipe(email({ message: "Invalid email address" }))),
  password: field(newPassword),
  confirmPassword: field(string()),
}).pipe(fieldsMatch("password", "confirmPassword", passwordsMatch));

/** The form of `/login`. All invalid forms get the same response. */
export const Login = object({
  // Normalizing a long string takes long.
  email: field(string().pipe(maxLength(320))),
  password: field(string()),
});

/** The form of `/forgot-password`. */
export const ResetRequest = object({
  email: field(
    string().pipe(
      email({ message: "Invalid email address" }),
      maxLength(320, { message: "At most 320 characters" }),
    ),
  ),
});

/** The forms of `/reset-password` and of a first password. */
export const NewPassword = object({
  password: field(newPassword),
  confirmPassword: field(string()),
}).pipe(fieldsMatch("password", "confirmPassword", passwordsMatch));

/** The form of `/account/confirm`. */
export const Confirmation = object({ password: field(string()) });

/** The form of `/account`. */
export const Profile = object({ name: field(name) });

/** The form of `/account/password`. */
export const PasswordChange = object({
  currentPassword: field(string()),
  password: field(newPassword),
  confirmPassword: field(string()),
}).pipe(fieldsMatch("password", "confirmPassword", passwordsMatch));

/** The form of `/account/keys` and `/account/tokens`. */
export const SecretLabel = object({
  label: field(line("Please enter a name", 60)),
});

/** The forms of `/editor`. */
export const NoticeForm = object({
  title: field(line("Title is required", 120)),
  body: field(line("Text is required", 5000)),
});

/**
 * Returns the state of a form that failed: the values of the named fields, which
 * must not be passwords, and the first error of each field.
 */
export function failed(
  form: FormData,
  fields: readonly string[],
  issues: readonly Issue[],
): FormState {
  const errors: Record<string, string> = {};
  for (const [name, messages] of Object.entries(flatten(issues).fields)) {
    if (messages !== undefined) errors[name] = messages[0];
  }
  return { values: valuesOf(form, fields), errors };
}

/** Returns the strings in some fields of a form. */
export function valuesOf(
  form: FormData,
  fields: readonly string[],
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of fields) {
    const value = form.get(name);
    if (typeof value === "string") values[name] = value;
  }
  return values;
}
