import { canonicalName } from "../../auth/internal.ts";
import type { JSONValue } from "../../session/mod.ts";
import { PASSWORD_LENGTH } from "./_passwords.ts";
import { isAddress } from "./address.ts";
import { type Call, type Failed, invalid } from "./call.ts";
import { inputNameOf } from "../definition/input_names.ts";

/** The maximum length of a name, in characters. */
const MAX_NAME = 100;

/** The maximum length of all additional fields of an account, as JSON. */
const MAX_FIELDS = 8_192;

/** Reads the input of an action, and collects its errors. */
export class Form {
  readonly #call: Call;
  readonly #errors: Record<string, string> = {};

  constructor(call: Call) {
    this.#call = call;
  }

  /** The result if the input has errors, or `null`. */
  get failed(): Failed | null {
    return Object.keys(this.#errors).length === 0
      ? null
      : invalid(this.#errors);
  }

  /** Reads an address, and returns it as the store spells it, or `""`. */
  email(): string {
    const { invalidEmail } = this.#call.messages;
    const value = canonicalName(this.#text("email"));
    if (isAddress(value)) return value;
    this.#errors.email = invalidEmail;
    return "";
  }

  /** Reads a name. */
  name(): string {
    const { nameMissing, tooLong } = this.#call.messages;
    // Control characters and line breaks would corrupt emails and logs.
    const value = this.#text("name").slice(0, 1_000)
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
    if (value === "") this.#errors.name = nameMissing;
    if (value.length > MAX_NAME) this.#errors.name = tooLong(MAX_NAME);
    return value;
  }

  /** Reads a new password. */
  newPassword(): string {
    const { passwordShort, tooLong } = this.#call.messages;
    const { least, most } = PASSWORD_LENGTH;
    const value = this.#text("password");
    if (value.length < least) this.#errors.password = passwordShort(least);
    if (value.length > most) this.#errors.password = tooLong(most);
    return value;
  }

  /**
   * Reads the fields that the input contains and a user may write.
   *
   * @param before The values that the account has.
   */
  async fields(
    before: Readonly<Record<string, JSONValue>> = {},
  ): Promise<Readonly<Record<string, JSONValue>>> {
    const { input, messages, services: { names } } = this.#call;
    const values: Record<string, JSONValue> = {};
    for (const [name, field] of Object.entries(names.fields ?? {})) {
      const key = inputNameOf(name);
      if (field.by === "application" || !input.has(key)) continue;
      const result = await field.schema["~standard"].validate(input.get(key));
      if (result.issues !== undefined) {
        this.#errors[key] = messages.invalidField;
      } else values[name] = result.value as JSONValue;
    }
    if (JSON.stringify({ ...before, ...values }).length > MAX_FIELDS) {
      this.#errors.name ??= messages.tooLong(MAX_FIELDS);
    }
    return values;
  }

  #text(name: string): string {
    const value = this.#call.input.get(name);
    return typeof value === "string" ? value : "";
  }
}
