import { type ContextKey, createContextKey } from "../context/context_key.ts";

/** The ids of a request, which the logger creates. */
export interface RequestIds {
  /** The id of the request. */
  readonly requestId: string;
  /** The id of the trace that the request is part of. */
  readonly traceId: string;
}

/** The context key of the logger, by the name that applications know. */
export const RequestIds: ContextKey<RequestIds> =
  /* @__PURE__ */ createContextKey<RequestIds>(undefined, { name: "Log" });
