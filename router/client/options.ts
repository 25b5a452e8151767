import type { InputSchema } from "../middleware/input_schema.ts";
import type { RouteMethod } from "../method.ts";
import type { Params } from "../pattern/params.ts";
import type { SearchInput } from "../pattern/route_pattern.ts";
import type {
  Operation,
  SchemaInput,
  SchemaOutput,
} from "../routes/operation.ts";
import type { Route, RouteMap } from "../routes/route.ts";
import type { ClientResult } from "./result.ts";

/** Options for `createClient`. */
export interface ClientOptions<Validated extends boolean = false> {
  /**
   * The URL of the API, with a path if its router is mounted at one.
   *
   * @default {the origin of the page}
   */
  readonly baseUrl?: string | URL;
  /**
   * Sends a request: `router.fetch` in tests, or a function that adds options,
   * retries or logging.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /**
   * Headers of each request to the origin of `baseUrl`, such as
   * `Authorization`, or a function that returns them. Routes of other origins do
   * not get them.
   *
   * @default {none}
   */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /**
   * `true` validates bodies with the schemas of `responses`. Results then have
   * the outputs of the schemas.
   *
   * @default {false}
   */
  readonly validate?: Validated;
  /**
   * The largest body that is read, in bytes. Streams have no limit.
   *
   * @default {10485760}
   */
  readonly maxBytes?: number;
}

/** The functions of a route map: one for each route, with the same name. */
export type Client<Routes, Validated extends boolean = false> = {
  readonly [Name in keyof Routes]: Routes[Name] extends
    Route<RouteMethod, infer Pattern, infer Description>
    ? ClientFunction<Pattern, Description, Validated>
    : Routes[Name] extends RouteMap ? Client<Routes[Name], Validated>
    : never;
};

/** Calls a route. It never rejects. */
export type ClientFunction<
  Pattern extends string,
  Description extends Operation,
  Validated extends boolean,
> = (
  ...args: Record<never, never> extends CallInput<Pattern, Description>
    ? [input?: CallInput<Pattern, Description> & CallOptions]
    : [input: CallInput<Pattern, Description> & CallOptions]
) => Promise<ClientResult<Description, Validated>>;

/** Options of one call. */
export interface CallOptions {
  /**
   * Headers of this request. They replace those of the client.
   *
   * @default {none}
   */
  readonly headers?: HeadersInit | undefined;
  /**
   * Aborts the call, for example `AbortSignal.timeout(5_000)`.
   *
   * @default {none}
   */
  readonly signal?: AbortSignal | undefined;
}

/** The params, the query and the body of a call. */
export type CallInput<Pattern extends string, Description extends Operation> =
  & ParamsInput<Params<Pattern>>
  & QueryInput<Description>
  & BodyInput<Description>;

/** The params of a call, required if the pattern requires some. */
export type ParamsInput<Values> = keyof Values extends never
  ? { readonly params?: undefined }
  : Partial<Values> extends Values ? { readonly params?: ParamValues<Values> }
  : { readonly params: ParamValues<Values> };

/** The values of params: strings or numbers. */
export type ParamValues<Values> = {
  readonly [Name in keyof Values]: Values[Name] | number;
};

/** The query of a call. */
export type QueryInput<Description> = Description extends
  { readonly query: infer Schema extends InputSchema }
  ? Record<never, never> extends FormValue<Schema>
    ? { readonly query?: FormValue<Schema> }
  : { readonly query: FormValue<Schema> }
  : { readonly query?: SearchInput };

/** The body of a call: JSON, a form or bytes. */
export type BodyInput<Description> = Description extends
  | { readonly json: InputSchema }
  | { readonly form: InputSchema }
  | { readonly body: string | readonly string[] } ?
    | (Description extends { readonly json: infer JSON extends InputSchema }
      ? JSONBody<JSON>
      : never)
    | (Description extends { readonly form: infer Form extends InputSchema }
      ? FormBody<Form>
      : never)
    | (Description extends { readonly body: string | readonly string[] }
      ? BytesBody
      : never)
  : Description extends { readonly responses: unknown } ? NoBody
  : UnknownBody;

/** A JSON body. */
export interface JSONBody<Schema extends InputSchema> {
  /** The value, as the schema accepts it. */
  readonly json: SchemaInput<Schema>;
  /** It must be absent if there is a `json` body. */
  readonly form?: undefined;
  /** It must be absent if there is a `json` body. */
  readonly body?: undefined;
}

/** A body that is a form. */
export interface FormBody<Schema extends InputSchema> {
  /** The form, or its values. */
  readonly form: FormData | URLSearchParams | FormValue<Schema>;
  /** It must be absent if there is a `form`. */
  readonly json?: undefined;
  /** It must be absent if there is a `form`. */
  readonly body?: undefined;
}

/** A body of a media type that the route names. */
export interface BytesBody {
  /**
   * The body. The header `Content-Type` is the type of the blob or the file, or that of
   * the route if it is one string. `headers` of the call replaces both.
   */
  readonly body: Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | string;
  /** It must be absent if there is a `body`. */
  readonly json?: undefined;
  /** It must be absent if there is a `body`. */
  readonly form?: undefined;
}

/** A route without a body. */
export interface NoBody {
  /** The route accepts no JSON. */
  readonly json?: undefined;
  /** The route accepts no form. */
  readonly form?: undefined;
  /** The route accepts no bytes. */
  readonly body?: undefined;
}

/** A body of a route without a description. */
export interface UnknownBody {
  /** The value that is sent as JSON. */
  readonly json?: unknown;
  /** The form, or its values. */
  readonly form?: FormData | URLSearchParams | object;
  /** The bytes. */
  readonly body?: BytesBody["body"];
}

/**
 * The values of a form or a query. A schema of `form-data` gets the values that
 * its handler reads: the client converts them to strings.
 */
export type FormValue<Schema extends InputSchema> = FormData extends
  SchemaInput<Schema> ? SchemaOutput<Schema> : SchemaInput<Schema>;
