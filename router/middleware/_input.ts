// Reads and validates the parts of a request.

import type { RequestContext, UntypedContextKey } from "../mod.ts";
import type { BodyErrorStatus } from "./_body.ts";
import { type FormLimits, hasForm, readForm } from "./_form_body.ts";
import { hasJSON, type JSONLimits, readJSON } from "./_json_body.ts";
import type {
  InputResultIssue,
  InputSchema,
  InputSchemaOptions,
} from "./input_schema.ts";
import type { InputPart, InvalidInput, InvalidInputIssue } from "./_problem.ts";

/** Limits of bodies. */
export interface InputLimits {
  /** Limits of JSON. */
  readonly json: JSONLimits;
  /** Limits of a form. */
  readonly form: FormLimits;
}

/** A part of a request, its schema, and the key of its output. */
export interface Part {
  readonly name: InputPart;
  readonly key: UntypedContextKey;
  readonly schema: InputSchema;
  /** The part of a form, for JSON that a form may replace. */
  readonly form?: Part;
}

/** Validates the parts. Returns the outputs of their schemas, or the error. */
export async function readParts(
  parts: readonly Part[],
  context: RequestContext,
  limits: InputLimits,
  options: InputSchemaOptions,
): Promise<unknown[] | InvalidInput> {
  const outputs: unknown[] = [];
  const issues: InvalidInputIssue[] = [];
  for (const part of parts) {
    const { name, schema } = choosePart(part, context);
    const input = await readInput(name, context, limits, part.form && EITHER);
    if (!("value" in input)) return input;
    const result = await schema["~standard"].validate(input.value, options);
    if (result.issues === undefined) outputs.push(result.value);
    else for (const issue of result.issues) issues.push(toIssue(name, issue));
  }
  if (outputs.length === parts.length) return outputs;
  return { status: 422, detail: "Some of the input is not valid", issues };
}

const EITHER = "JSON or a form";

/** Returns the part of the body that a request has, if there are two. */
function choosePart(part: Part, context: RequestContext): Part {
  if (part.form === undefined) return part;
  if (!hasJSON(context.request)) return part.form;
  // A handler that shows the form again always finds form data.
  if (!context.has(FormData)) context.set(FormData, new FormData());
  return part;
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

/** Reads a part of a request. Returns its value, or the error. */
async function readInput(
  part: InputPart,
  context: RequestContext,
  limits: InputLimits,
  wanted?: string,
): Promise<{ readonly value: unknown } | InvalidInput> {
  switch (part) {
    case "params":
      return { value: context.params };
    case "query":
      return { value: recordOf(context.url.searchParams) };
    case "json": {
      // `formData()` has read a form, so the client sent the wrong type.
      if (hasJSON(context.request)) assertUnread(context.request);
      const json = await readJSON(context, limits.json);
      return typeof json === "number"
        ? bodyError(json, wanted ?? "JSON")
        : json;
    }
    case "form": {
      const form = await getForm(context, limits.form);
      return typeof form === "number"
        ? bodyError(form, wanted ?? "a form")
        : { value: recordOf(form) };
    }
  }
}

function bodyError(status: BodyErrorStatus, wanted: string): InvalidInput {
  const details = {
    400: `The body is malformed: it must be ${wanted}`,
    408: "The body did not arrive in time",
    413: "The body is too large",
    415: `The body must be ${wanted}, in UTF-8 and not compressed`,
  };
  return { status, detail: details[status], issues: [] };
}

/** Returns the form that other middleware has read, or reads the body. */
async function getForm(
  context: RequestContext,
  limits: FormLimits,
): Promise<FormData | BodyErrorStatus> {
  const { request } = context;
  const isRead = context.has(FormData);
  // A handler that shows the form again always finds form data.
  if (!isRead) context.set(FormData, new FormData());
  if (!hasForm(request)) return 415;
  if (isRead) return context.get(FormData);
  assertUnread(request);
  const form = await readForm(context, limits);
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

/** Creates an object of the values. It has no prototype: names are arbitrary. */
function recordOf(
  pairs: Iterable<readonly [string, FormDataEntryValue]>,
): Record<string, Value> {
  const record: Record<string, Value> = Object.create(null);
  for (const [name, value] of pairs) {
    // A copy of the object would get this value as its prototype.
    if (name === "__proto__") continue;
    const known = record[name];
    if (Array.isArray(known)) known.push(value);
    else if (known !== undefined) record[name] = [known, value];
    else record[name] = name.endsWith("[]") ? [value] : value;
  }
  return record;
}
