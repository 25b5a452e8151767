// Reads the parts of a request and validates them.

import type { RequestContext, UntypedContextKey } from "../mod.ts";
import type { BodyRefusal } from "./_body.ts";
import { type FormBounds, hasForm, readForm } from "./_form_body.ts";
import { type JSONBounds, readJSON } from "./_json_body.ts";
import type {
  InputResultIssue,
  InputSchema,
  InputSchemaOptions,
} from "./input_schema.ts";
import type { InputPart, InvalidInput, InvalidInputIssue } from "./_problem.ts";

/** What bodies must keep to. */
export interface InputBounds {
  /** What JSON must keep to. */
  readonly json: JSONBounds;
  /** What a form must keep to. */
  readonly form: FormBounds;
}

/** A part of a request, its schema, and where its output goes. */
export interface Part {
  readonly name: InputPart;
  readonly key: UntypedContextKey;
  readonly schema: InputSchema;
}

/** Reads and validates the parts: what their schemas give, or what is wrong. */
export async function readParts(
  parts: readonly Part[],
  context: RequestContext,
  bounds: InputBounds,
  options: InputSchemaOptions,
): Promise<unknown[] | InvalidInput> {
  const outputs: unknown[] = [];
  const issues: InvalidInputIssue[] = [];
  for (const { name, schema } of parts) {
    const input = await readInput(name, context, bounds);
    if (!("value" in input)) return input;
    const result = await schema["~standard"].validate(input.value, options);
    if (result.issues === undefined) outputs.push(result.value);
    else for (const issue of result.issues) issues.push(toIssue(name, issue));
  }
  if (outputs.length === parts.length) return outputs;
  return { status: 422, detail: "Some of the input is not valid", issues };
}

function toIssue(
  part: InputPart,
  { message, path = [], field }: InputResultIssue,
): InvalidInputIssue {
  const keys = Array.from(
    path,
    (key) => typeof key === "object" ? key.key : key,
  );
  return { part, path: keys, message, ...field !== undefined && { field } };
}

/** Reads a part of a request: its value, or why it can't be read. */
async function readInput(
  part: InputPart,
  context: RequestContext,
  bounds: InputBounds,
): Promise<{ readonly value: unknown } | InvalidInput> {
  switch (part) {
    case "params":
      return { value: context.params };
    case "query":
      return { value: recordOf(context.url.searchParams) };
    case "json": {
      assertUnread(context.request);
      const json = await readJSON(context.request, bounds.json);
      return typeof json === "number" ? refused(json, "JSON") : json;
    }
    case "form": {
      const form = await takeForm(context, bounds.form);
      return typeof form === "number"
        ? refused(form, "a form")
        : { value: recordOf(form) };
    }
  }
}

function refused(status: BodyRefusal, wanted: string): InvalidInput {
  const details = {
    400: `The body is malformed: it must be ${wanted}`,
    408: "The body did not arrive in time",
    413: "The body is too large",
    415: `The body must be ${wanted}, in UTF-8 and not compressed`,
  };
  return { status, detail: details[status], issues: [] };
}

/** The form that somebody has read, or the one in the body. */
async function takeForm(
  context: RequestContext,
  bounds: FormBounds,
): Promise<FormData | BodyRefusal> {
  const { request } = context;
  const isRead = context.has(FormData);
  // Who shows the form again finds one, whatever came.
  if (!isRead) context.set(FormData, new FormData());
  if (!hasForm(request)) return 415;
  if (isRead) return context.get(FormData);
  assertUnread(request);
  const form = await readForm(request, bounds);
  if (typeof form !== "number") context.set(FormData, form);
  return form;
}

function assertUnread({ bodyUsed }: Request): void {
  if (bodyUsed) {
    throw new TypeError(
      "Cannot validate the body: it was read before, put validate() in front",
    );
  }
}

type Value = FormDataEntryValue | FormDataEntryValue[];

/** An object of the values. Without a prototype: names are anything. */
function recordOf(
  pairs: Iterable<readonly [string, FormDataEntryValue]>,
): Record<string, Value> {
  const record: Record<string, Value> = Object.create(null);
  for (const [name, value] of pairs) {
    // Whoever copies the object would give the copy a prototype.
    if (name === "__proto__") continue;
    const known = record[name];
    if (Array.isArray(known)) known.push(value);
    else if (known !== undefined) record[name] = [known, value];
    else record[name] = name.endsWith("[]") ? [value] : value;
  }
  return record;
}
