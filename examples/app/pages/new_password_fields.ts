import { html, type Markup } from "@gatehouse/web/content";
import { field, type FormState } from "./form_fields.ts";

/** Creates the two fields of a new password. */
export function newPasswordFields(hint: string, state: FormState): Markup {
  return html`
    ${field({
      name: "password",
      label: "New password",
      type: "password",
      autocomplete: "new-password",
      hint,
    }, state)}
    ${field({
      name: "confirmPassword",
      label: "New password, once more",
      type: "password",
      autocomplete: "new-password",
    }, state)}
  `;
}
