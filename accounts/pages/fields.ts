import { html, type Markup } from "../../router/content/mod.ts";
import type { Failed } from "../actions/call.ts";
import type { AccountField } from "../definition/names.ts";
import type { Messages } from "../messages/messages.ts";
import { inputNameOf } from "../definition/input_names.ts";

/** The values of a form, and its errors. */
export interface FormState {
  readonly failed?: Failed | undefined;
  /** The values by name, never a password. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Options for {@linkcode field}. */
export interface FieldOptions {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "email" | "password" | "tel" | "url" | "date";
  /** The kind of value that browsers may fill in. */
  readonly autocomplete: string;
  readonly hint?: string;
  readonly isNumeric?: boolean;
  readonly isOptional?: boolean;
}

/** Creates a labeled input with its error, which screen readers read together. */
export function field(options: FieldOptions, state: FormState): Markup {
  const { name, label, type = "text", autocomplete, hint } = options;
  const value = type === "password" ? "" : state.values?.[name] ?? "";
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      ${hint !== undefined && html`
        <p class="hint" id="${name}-hint">${hint}</p>
      `} ${fieldError(name, state)}
      <input id="${name}" name="${name}" type="${type}"
        autocomplete="${autocomplete}" value="${value}"
        ${type === "email" && html`autocapitalize="none" spellcheck="false"`}
        ${options.isNumeric && html`inputmode="numeric"`}
        ${!options.isOptional && html`required`}
        ${described(name, hint, state)}>
    </div>
  `;
}

/** Creates the input of an address. */
export function emailField(
  label: string,
  autocomplete: string,
  state: FormState,
): Markup {
  return field({ name: "email", label, type: "email", autocomplete }, state);
}

/** Creates the input of a new password. */
export function newPasswordField(
  label: string,
  { passwordHint }: Messages,
  state: FormState,
): Markup {
  return field({
    name: "password",
    label,
    type: "password",
    autocomplete: "new-password",
    hint: passwordHint,
  }, state);
}

/** Creates the hidden address by which password managers find the account. */
export function hiddenUsername(email: string): Markup {
  return html`
    <input type="text" name="username" autocomplete="username" hidden
      value="${email}">
  `;
}

/** Creates a checkbox. */
export function checkbox(
  { name, label }: Pick<FieldOptions, "name" | "label">,
  state: FormState,
): Markup {
  const isChecked = ["on", "true"].includes(state.values?.[name] ?? "");
  return html`
    <p class="choice">
      <input type="checkbox" id="${name}" name="${name}"
        ${isChecked && html`checked`}>
      <label for="${name}">${label}</label>
    </p>
  `;
}

/** Creates the input of an additional field. */
export function ownField(
  [key, own]: readonly [string, AccountField],
  { language }: Messages,
  state: FormState,
): Markup | false {
  if (own.by === "application") return false;
  const name = inputNameOf(key);
  const label = typeof own.label === "string"
    ? own.label
    : own.label[language] ?? own.label.en ?? key;
  const { input = "text" } = own;
  if (input === "checkbox") return checkbox({ name, label }, state);
  if (typeof input !== "string") return select({ name, label }, input, state);
  const autocomplete = "off";
  const isOptional = true;
  return field({ name, label, type: input, autocomplete, isOptional }, state);
}

/** Creates a select. A choice is its value, or a value and the text shown. */
export function select(
  { name, label }: Pick<FieldOptions, "name" | "label">,
  choices: readonly (string | readonly [value: string, text: string])[],
  state: FormState,
): Markup {
  const chosen = state.values?.[name];
  const pairs = choices.map((one) =>
    typeof one === "string" ? [one, one] : one
  );
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      ${fieldError(name, state)}
      <select id="${name}" name="${name}"${described(name, undefined, state)}>
        ${pairs.map(([value, text]) =>
          html`
            <option value="${value}" ${value === chosen && html`
              selected
            `}>${text}</option>
          `
        )}
      </select>
    </div>
  `;
}

/**
 * Creates the errors at the top of a form, with links to the inputs. Screen readers
 * announce them when the page opens.
 */
export function errorSummary(
  messages: Messages,
  { failed }: FormState,
): Markup | false {
  if (failed === undefined) return false;
  const errors = Object.entries(failed.errors ?? {});
  return html`
    <div class="problem" role="alert" tabindex="-1" autofocus>
      <p>${failed.error ?? messages.correct(errors.length)}</p>
      ${errors.length > 0 && html`
        <ul>${errors.map(([name, text]) =>
          html`
            <li><a href="#${name}">${text}</a></li>
          `
        )}</ul>
      `}
    </div>
  `;
}

/** Creates the error of an input. */
export function fieldError(
  name: string,
  { failed }: FormState,
): Markup | false {
  const error = failed?.errors?.[name];
  return error !== undefined &&
    html`
      <p class="error" id="${name}-error">${error}</p>
    `;
}

function described(
  name: string,
  hint: string | undefined,
  { failed }: FormState,
): Markup | false {
  const isInvalid = failed?.errors?.[name] !== undefined;
  const ids = [
    ...hint === undefined ? [] : [`${name}-hint`],
    ...isInvalid ? [`${name}-error`] : [],
  ];
  if (ids.length === 0) return false;
  return html`
    aria-describedby="${ids.join(" ")}"${isInvalid && html`
      aria-invalid="true"
    `}
  `;
}
