import type { InputSchema } from "../middleware/input_schema.ts";

/**
 * The description of a route: the input that it accepts, the responses that it
 * sends, and its documentation. `validate` checks the input, and `./openapi` and
 * `./client` read all of it.
 */
export interface Operation {
  /** A short summary for lists of routes. */
  readonly summary?: string;
  /** The documentation, in CommonMark. */
  readonly description?: string;
  /** The names of groups that documents list the route in. */
  readonly tags?: readonly string[];
  /**
   * The unique name of the route in documents.
   *
   * @default {the name in the route map, such as "notes.create"}
   */
  readonly operationId?: string;
  /**
   * `true` if clients should stop using the route.
   *
   * @default {false}
   */
  readonly deprecated?: boolean;
  /** The schema of the params of the pattern, which are strings. */
  readonly params?: InputSchema;
  /**
   * The schema of the query, whose input is an object of strings and string
   * arrays.
   */
  readonly query?: InputSchema;
  /** The schema of the JSON body. */
  readonly json?: InputSchema;
  /** The schema of the form. With `json`, a request has one of the two. */
  readonly form?: InputSchema;
  /**
   * The media types of a body that the handler reads itself, such as `"image/png"`
   * for an upload. The handler checks the header `Content-Type`, and declares its 415
   * in `responses`.
   */
  readonly body?: string | readonly string[];
  /** An example of each part of the request, as clients send it. */
  readonly examples?: OperationExamples;
  /** The responses by status code. */
  readonly responses?: OperationResponses;
}

/** An example of each part of a request. */
export interface OperationExamples {
  /** The params. */
  readonly params?: unknown;
  /** The query. */
  readonly query?: unknown;
  /** The JSON body. */
  readonly json?: unknown;
  /** The form. */
  readonly form?: unknown;
}

/** The responses of a route: the schema of the JSON body, or a description. */
export interface OperationResponses {
  /** The response with this status code. */
  readonly [status: number]: InputSchema | ResponseDescription;
}

/** A response. It has no body unless it has a schema or a content type. */
export interface ResponseDescription {
  /**
   * The documentation, in CommonMark.
   *
   * @default {the title of the status code, such as "Not Found"}
   */
  readonly description?: string;
  /** The schema of the body as the client receives it. */
  readonly schema?: InputSchema;
  /**
   * The media type of the body.
   *
   * @default {"application/json" if there is a schema}
   */
  readonly contentType?: string;
  /** An example of the body. */
  readonly example?: unknown;
}

/** The type of a route without a description. */
export type NoOperation = Record<never, never>;

/**
 * Messages for unknown properties, such as a misspelled one, and the types of
 * the examples. A function that passes a description to another one takes it in
 * the same way: `Description & OperationCheck<Description>`.
 */
export type OperationCheck<Description> = {
  readonly [Name in keyof Description]: Name extends "examples" ? {
      readonly [Part in keyof Description[Name]]: Part extends
        keyof Description & keyof OperationExamples
        ? SchemaInput<Description[Part]>
        : `The route has no schema for "${Part & string}"`;
    }
    : Name extends keyof Operation ? unknown
    : `A route has no "${Name & string}"`;
};

/** The input type of a schema. */
export type SchemaInput<Schema> = Schema extends InputSchema
  ? NonNullable<Schema["~standard"]["types"]>["input"]
  : never;

/** The output type of a schema. */
export type SchemaOutput<Schema> = Schema extends InputSchema
  ? NonNullable<Schema["~standard"]["types"]>["output"]
  : never;

/** The properties of an {@linkcode Operation}. */
const NAMES = [
  "summary",
  "description",
  "tags",
  "operationId",
  "deprecated",
  "params",
  "query",
  "json",
  "form",
  "body",
  "examples",
  "responses",
];

/** A media type or a range, such as `image/*`, without parameters. */
const MEDIA_TYPE = /^[^\s/;,]+\/[^\s/;,]+$/;

/** Returns the media types of the body that the handler reads itself. */
export function mediaTypesOf({ body = [] }: Operation): readonly string[] {
  return [body].flat();
}

/**
 * Throws if a description has an unknown property. Input with a misspelled name
 * would not be validated.
 *
 * @throws {TypeError} If there is one, or a media type is malformed.
 */
export function checkOperation(operation: Operation, route: string): void {
  const other = Object.keys(operation).find((name) => !NAMES.includes(name));
  if (other !== undefined) {
    throw new TypeError(`Cannot create route "${route}": it has no "${other}"`);
  }
  if (mediaTypesOf(operation).every((type) => MEDIA_TYPE.test(type))) return;
  throw new TypeError(
    `Cannot create route "${route}": body is not a media type`,
  );
}
