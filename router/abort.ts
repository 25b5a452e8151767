import type { RequestContext } from "./context/context.ts";
import { Platform } from "./context/platform.ts";

/** The property that stores the signal of a request, on runtimes with one. */
const signalProperty = /* @__PURE__ */ (() => {
  const request = new Request("http://localhost/");
  // Workers lack this property, and may not create a signal at this time.
  return Object.getOwnPropertySymbols(request)
    .find((symbol) => request.signal === Reflect.get(request, symbol));
})();

type PropertiesBySymbol = Request & Readonly<Record<symbol, unknown>>;

/**
 * The property of a copied request that stores the original, whose signal the
 * copy lacks.
 */
const ORIGINAL = /* @__PURE__ */ Symbol("original");

/**
 * Returns the signal of a request, unless nothing has read it yet.
 *
 * Deno creates the signal of a server's request when it is first read. This
 * takes 6 µs, and Deno prints a warning when the response is sent.
 */
export function createdSignal(request: Request): AbortSignal | undefined {
  const original = originalOf(request);
  const isCreated = signalProperty === undefined ||
    original[signalProperty] !== undefined;
  return isCreated ? original.signal : undefined;
}

function originalOf(request: Request): PropertiesBySymbol {
  const original = (request as PropertiesBySymbol)[ORIGINAL] ?? request;
  return original as PropertiesBySymbol;
}

/**
 * Copies a request to another URL with another body. A signal that does not exist
 * yet is created if the property of the copy is read.
 */
export function copyRequest(
  context: RequestContext,
  url: string | URL,
  init: RequestInit & { readonly duplex?: "half" },
): Request {
  const { request } = context;
  const { method, redirect } = request;
  const signal = hasSignal(context) ? createdSignal(request) : undefined;
  const all = { ...init, method, redirect, signal: signal ?? null };
  const copy = new Request(url, all);
  if (signal !== undefined) return copy;
  const original = originalOf(request);
  return Object.defineProperties(copy, {
    signal: { get: () => original.signal },
    [ORIGINAL]: { value: original },
  });
}

/**
 * Returns `true` if no client is waiting for the response.
 *
 * Under `Deno.serve` it is always `false`: there the signal aborts after every
 * response too. Deno's info has `completed` instead.
 */
export function isAborted(context: RequestContext): boolean {
  return createdSignal(context.request)?.aborted === true && hasSignal(context);
}

/** Throws the reason if a request was aborted. */
export function throwIfAborted(request: Request): void {
  const signal = createdSignal(request);
  // On some runtimes, this takes half the time of the signal's own method.
  if (signal?.aborted) throw signal.reason;
}

/**
 * Returns `true` if an error is the reason that the request was aborted with: a
 * handler gave up because the client left.
 */
export function isAbort(error: unknown, context: RequestContext): boolean {
  if (!hasSignal(context) && !isAbortError(error)) return false;
  const signal = createdSignal(context.request);
  return signal !== undefined && signal.aborted && error === signal.reason;
}

function isAbortError(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Returns `true` if the request's signal shows that the client left. */
export function hasSignal(context: RequestContext): boolean {
  return !("completed" in Object(context.get(Platform)[0]));
}

/** Returns `true` if a server passed the request, and may abort it. */
export function isServed(context: RequestContext): boolean {
  return context.get(Platform).length > 0;
}
