/**
 * The middleware that needs no session, for input, limits, browsers of other
 * sites, and the operation of a server.
 *
 * @example A form that other sites cannot send
 * ```ts
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import {
 *   crossOriginProtection,
 *   formData,
 *   secureHeaders,
 * } from "@gatehouse/web/middleware";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter({
 *   middleware: [secureHeaders(), formData(), crossOriginProtection()],
 * });
 * router.post("/notes", () => new Response(null, { status: 201 }));
 *
 * const response = await router.fetch("https://app.example/notes", {
 *   method: "POST",
 *   headers: { Origin: "https://evil.example" },
 * });
 * assertEquals(response.status, 403);
 * ```
 *
 * @module
 */
export {
  createLifecycle,
  type Flushable,
  type Lifecycle,
  type LifecycleOptions,
} from "../operation/lifecycle.ts";
export {
  type SecurityEvent,
  type SecurityEventMiddleware,
  type SecurityEventOptions,
  securityEvents,
} from "../operation/security_events.ts";
export {
  reportSecurityEvent,
  type SecurityAction,
  type SecurityReport,
} from "../operation/security_event.ts";
export type { TraceIds } from "../operation/active_trace.ts";
export type {
  OpenTelemetry,
  TelemetryAttributes,
  TelemetryContext,
  TelemetryGetter,
  TelemetryHistogram,
  TelemetryMeter,
  TelemetrySpan,
  TelemetryTracer,
} from "../operation/opentelemetry.ts";
export { telemetry, type TelemetryOptions } from "../operation/telemetry.ts";
export type { TrustedOrigins } from "./_trusted_origins.ts";
export {
  bodyLimit,
  type BodyLimitOptions,
  BodyTooLargeError,
} from "./body_limit.ts";
export { cors, type CORSOptions } from "./cors.ts";
export {
  crossOriginProtection,
  type CrossOriginProtectionOptions,
} from "./cross_origin.ts";
export {
  etag,
  type ETagOptions,
  requireMatch,
  type RequireMatchOptions,
} from "./etag.ts";
export {
  formData,
  type FormDataEntry,
  type FormDataOptions,
} from "./form_data.ts";
export type { InputPart, InvalidInput, InvalidInputIssue } from "./_problem.ts";
export type {
  InputResult,
  InputResultIssue,
  InputSchema,
  InputSchemaOptions,
  InputSchemas,
} from "./input_schema.ts";
export {
  methodOverride,
  type MethodOverrideOptions,
} from "./method_override.ts";
export { secureHeaders, type SecureHeadersOptions } from "./secure_headers.ts";
export { timeout, TimeoutSignal, type TimeoutSignalKey } from "./timeout.ts";
export {
  type EntriesOfBody,
  type EntriesOfPart,
  type OtherParts,
  type Unvalidated,
  ValidBody,
  type ValidEntries,
  ValidForm,
  ValidJSON,
  type ValidMiddleware,
  ValidParams,
  ValidQuery,
} from "./valid_entries.ts";
export {
  type DescribedRoute,
  validate,
  type ValidateOptions,
} from "./validate.ts";
