import { isPlain } from "../copy.ts";

/** A form in any supported representation. */
export type FormInput = FormData | URLSearchParams | FormRecord;

/** A form as a plain object: a string, a file or an array of them for each name. */
export type FormRecord = Readonly<
  Record<string, FormDataEntryValue | readonly FormDataEntryValue[] | undefined>
>;

/** The methods that reading a form needs. */
export interface FormReader extends Iterable<[string, FormDataEntryValue]> {
  /** Returns the values of a name, in order. */
  getAll(name: string): FormDataEntryValue[];
  /** Returns `true` if the form has a value of this name. */
  has(name: string): boolean;
}

/** Returns a reader of the form, or `undefined` if the value is not a form. */
export function formOf(value: unknown): FormReader | undefined {
  if (value instanceof FormData || value instanceof URLSearchParams) {
    return value;
  }
  return isPlain(value) ? new RecordForm(value as FormRecord) : undefined;
}

class RecordForm implements FormReader {
  readonly #record: FormRecord;

  constructor(record: FormRecord) {
    this.#record = record;
  }

  getAll(name: string): FormDataEntryValue[] {
    const value = Object.hasOwn(this.#record, name)
      ? this.#record[name]
      : undefined;
    const values = Array.isArray(value) ? value : [value];
    return values.filter(isValue);
  }

  has(name: string): boolean {
    return this.getAll(name).length > 0;
  }

  *[Symbol.iterator](): Generator<[string, FormDataEntryValue]> {
    for (const name of Object.keys(this.#record)) {
      for (const value of this.getAll(name)) yield [name, value];
    }
  }
}

function isValue(value: unknown): value is FormDataEntryValue {
  return typeof value === "string" || value instanceof File;
}
