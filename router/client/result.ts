import type { InputSchema } from "../middleware/input_schema.ts";
import type {
  Operation,
  SchemaInput,
  SchemaOutput,
} from "../routes/operation.ts";

/**
 * The result of a call: a success with the body, or a failure with problem
 * details.
 *
 * @typeParam Description The description of the route.
 * @typeParam Validated `true` if the client validates bodies.
 */
export type ClientResult<
  Description extends Operation,
  Validated extends boolean = false,
> =
  | DeclaredResult<DeclaredResponses<Description>, Validated>
  | (HasSuccess<DeclaredResponses<Description>> extends true ? never
    : ClientSuccess<number, unknown>)
  | ClientFailure;

/** A response with a status of 200 to 299 that the route declares. */
export interface ClientSuccess<Status extends number, Body> {
  /** `true`: the call succeeded. */
  readonly ok: true;
  /** The status code. */
  readonly status: Status;
  /**
   * The body: parsed JSON, text as a string, or the stream of any other type.
   * `undefined` without one.
   */
  readonly body: Body;
  /** The response. Its body was read, unless `body` is its stream. */
  readonly response: Response;
  /** A success has no reason. */
  readonly reason?: undefined;
  /** A success has no problem. */
  readonly problem?: undefined;
}

/** An error response with a status that the route declares. */
export interface ClientDeclaredFailure<Status extends number, Body> {
  /** `false`: the call failed. */
  readonly ok: false;
  /** The server answered with this error, and the route declares it. */
  readonly reason: "declared";
  /** The status code. */
  readonly status: Status;
  /** The problem details, for the user. */
  readonly problem: ClientProblem;
  /** The body, as in {@linkcode ClientSuccess}. */
  readonly body: Body;
  /** The response. */
  readonly response: Response;
}

/** The reason of a failure that the route does not declare. */
export type ClientFailureReason =
  | "status"
  | "redirect"
  | "invalid"
  | "network"
  | "aborted"
  | "request";

/** A call that failed for a reason that the route does not declare. */
export interface ClientFailure {
  /** `false`: the call failed. */
  readonly ok: false;
  /**
   * `"status"`: the server answered with another error status. `"redirect"`: it
   * redirects. `"invalid"`: its response is not what the route declares.
   * `"network"`: there is no complete response. `"aborted"`: the signal aborted.
   * `"request"`: the request cannot be created, for example because no URL can
   * carry a param, or the `headers` function failed.
   */
  readonly reason: ClientFailureReason;
  /** The status code; 0 without a response. */
  readonly status: number;
  /** The problem details, for the user. */
  readonly problem: ClientProblem;
  /** The body of an error response, if it could be read. */
  readonly body?: unknown;
  /** The response, if there is one. */
  readonly response?: Response | undefined;
  /**
   * The error behind the failure, or the issues of an invalid body, for
   * developers. It may contain the URL.
   */
  readonly error?: unknown;
}

/**
 * Problem details (RFC 9457). The server sent them, or the client has created
 * them from the status.
 */
export interface ClientProblem {
  /** The kind of the problem as a short text. */
  readonly title: string;
  /** The status code; 0 without a response. */
  readonly status: number;
  /** An explanation of this occurrence. */
  readonly detail?: string;
  /** Other members, such as `type` and `errors`. */
  readonly [member: string]: unknown;
}

/** The declared responses of a route by status. */
export type DeclaredResponses<Description extends Operation> =
  Description extends { readonly responses: infer Responses } ? Responses
    : Record<never, never>;

/** The results of the declared responses. */
export type DeclaredResult<Responses, Validated extends boolean> = {
  [Status in keyof Responses & number]: `${Status}` extends `2${string}`
    ? ClientSuccess<Status, BodyOf<Responses[Status], Validated>>
    : ClientDeclaredFailure<Status, BodyOf<Responses[Status], Validated>>;
}[keyof Responses & number];

/** `true` if a success is declared. Otherwise, each one is accepted. */
export type HasSuccess<Responses> = Extract<
  `${keyof Responses & number}`,
  `2${string}`
> extends never ? false : true;

/** The body of a declared response. */
export type BodyOf<Declared, Validated extends boolean> = Declared extends
  InputSchema ? SchemaBody<Declared, Validated>
  : Declared extends { readonly schema: infer Schema extends InputSchema }
    ? SchemaBody<Schema, Validated>
  : Declared extends { readonly contentType: infer Type }
    ? Type extends `${string}json` ? unknown
    : Type extends `text/event-stream${string}` ? BodyStream
    : Type extends `text/${string}` ? string
    : BodyStream
  : undefined;

/** The body of a schema: its input, or its output if the client validates it. */
export type SchemaBody<
  Schema extends InputSchema,
  Validated extends boolean,
> = Validated extends true ? SchemaOutput<Schema> : SchemaInput<Schema>;

/** A body that the client does not read. */
export type BodyStream = ReadableStream<Uint8Array> | null;
