/**
 * Passkeys in the browser: connects forms to the authenticator.
 *
 * Bundle it, or serve the ready script of `@gatehouse/web/auth/passkey`.
 * It needs no inline script, and forms without a passkey work without JavaScript.
 *
 * @example Connect all forms of a page
 * ```ts
 * import { connectPasskeyForms } from "@gatehouse/web/auth/passkey/browser";
 * import { assertEquals } from "@std/assert";
 *
 * // In the browser: connectPasskeyForms();
 * assertEquals(typeof connectPasskeyForms, "function");
 * ```
 *
 * @module
 */
import type {
  PasskeyAssertionJSON,
  PasskeyCreationOptions,
  PasskeyDescriptor,
  PasskeyRegistrationJSON,
  PasskeyRequestOptions,
} from "../json.ts";
import type { PasskeySignal } from "../user.ts";
import type {
  Assertion,
  Attestation,
  Authenticator,
  Credential,
  Form,
  Page,
  PasskeySupport,
} from "./_dom.ts";

declare const document: Page;
declare const navigator: Authenticator;
declare const FormData: new (form: Form) => Iterable<[string, unknown]>;
declare const PublicKeyCredential: PasskeySupport | undefined;

/** Options for {@linkcode registerPasskey} and {@linkcode getPasskey}. */
export interface PasskeyCallOptions {
  /**
   * `true` to create a passkey without asking, or to offer passkeys in the
   * autofill of the field with `autocomplete="username webauthn"`.
   *
   * @default {false}
   */
  readonly conditional?: boolean;
  /**
   * Cancels the call.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal;
}

/**
 * Creates a passkey, for `finishRegistration()` of the server.
 *
 * @example Send the response as JSON
 * ```ts
 * import { registerPasskey } from "@gatehouse/web/auth/passkey/browser";
 * import { assertEquals } from "@std/assert";
 *
 * async function addPasskey() {
 *   const options = await fetch("/passkeys/options", { method: "POST" });
 *   const response = await registerPasskey(await options.json());
 *   await fetch("/passkeys", {
 *     method: "POST",
 *     headers: { "Content-Type": "application/json" },
 *     body: JSON.stringify(response),
 *   });
 * }
 * // button.addEventListener("click", addPasskey);
 *
 * assertEquals(typeof addPasskey, "function");
 * ```
 *
 * @param options The options of the server.
 * @param call How to call the authenticator.
 * @returns The response, as JSON.
 * @throws {DOMException} If the user cancels, or has a passkey already.
 */
export async function registerPasskey(
  options: PasskeyCreationOptions,
  { conditional, signal }: PasskeyCallOptions = {},
): Promise<PasskeyRegistrationJSON> {
  const { excludeCredentials, user } = options;
  const publicKey = {
    ...options,
    challenge: decode(options.challenge),
    user: { ...user, id: decode(user.id) },
    excludeCredentials: excludeCredentials.map(toDescriptor),
  };
  const credential: Credential<Attestation> = await navigator.credentials
    .create(request(publicKey, conditional, signal));
  const { response } = credential;
  return toJSON(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    attestationObject: encode(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

/**
 * Asks for a passkey, for `finishAuthentication()` of the server.
 *
 * @example Log in with JSON
 * ```ts
 * import { getPasskey } from "@gatehouse/web/auth/passkey/browser";
 * import { assertEquals } from "@std/assert";
 *
 * async function logIn() {
 *   const options = await fetch("/login/options", { method: "POST" });
 *   const response = await getPasskey(await options.json());
 *   await fetch("/login", {
 *     method: "POST",
 *     headers: { "Content-Type": "application/json" },
 *     body: JSON.stringify(response),
 *   });
 * }
 * // button.addEventListener("click", logIn);
 *
 * assertEquals(typeof logIn, "function");
 * ```
 *
 * @param options The options of the server.
 * @param call How to call the authenticator.
 * @returns The response, as JSON.
 * @throws {DOMException} If the user cancels, or has no passkey.
 */
export async function getPasskey(
  options: PasskeyRequestOptions,
  { conditional, signal }: PasskeyCallOptions = {},
): Promise<PasskeyAssertionJSON> {
  const publicKey = {
    ...options,
    challenge: decode(options.challenge),
    allowCredentials: options.allowCredentials.map(toDescriptor),
  };
  const credential: Credential<Assertion> = await navigator.credentials
    .get(request(publicKey, conditional, signal));
  const { response } = credential;
  const { userHandle } = response;
  return toJSON(credential, {
    clientDataJSON: encode(response.clientDataJSON),
    authenticatorData: encode(response.authenticatorData),
    signature: encode(response.signature),
    ...userHandle && { userHandle: encode(userHandle) },
  });
}

/** A passkey that the server does not know. */
export interface UnknownPasskey {
  /** The RP ID. */
  readonly rpId: string;
  /** The credential id. */
  readonly credentialId: string;
}

/**
 * Tells the authenticator the passkeys and names of a user, or that a passkey
 * is unknown. It then hides removed passkeys and shows the current names. Does
 * nothing in browsers without the Signal API.
 *
 * @example Hide a passkey that does not exist
 * ```ts
 * import { signalPasskeys } from "@gatehouse/web/auth/passkey/browser";
 * import { assertEquals } from "@std/assert";
 *
 * const unknown = { rpId: "example.com", credentialId: "cGFzc2tleQ" };
 * // Does nothing without the Signal API.
 * assertEquals(await signalPasskeys(unknown), undefined);
 * ```
 *
 * @param signal The return value of `passkeys.signal()`, or an unknown passkey.
 * @returns A promise that resolves when the authenticator knows it.
 */
export async function signalPasskeys(
  signal: PasskeySignal | UnknownPasskey,
): Promise<void> {
  if ("credentialId" in signal) {
    return await sendSignal("signalUnknownCredential", signal);
  }
  const { allAcceptedCredentialIds, displayName, name, rpId, userId } = signal;
  await sendSignal("signalAllAcceptedCredentials", {
    rpId,
    userId,
    allAcceptedCredentialIds,
  });
  const details = { rpId, userId, name, displayName };
  await sendSignal("signalCurrentUserDetails", details);
}

async function sendSignal(
  name: `signal${string}` & keyof PasskeySupport,
  details: unknown,
): Promise<void> {
  try {
    // In browsers without passkeys, this throws.
    await PublicKeyCredential![name]?.(details);
  } catch {
    // The signal is only a courtesy, because the server refuses removed
    // passkeys anyway.
  }
}

/** Cancels the autofill, because a browser can wait for one passkey at a time. */
let waiting: AbortController | undefined;

/**
 * Connects the forms of the page to the authenticator, and sends the signals in
 * it. A form posts the response in its field `passkey`:
 *
 * - `data-passkey-create` and `data-passkey-get` have the URL of the options. The
 *   form is shown if the browser supports passkeys.
 * - `data-passkey-conditional` offers passkeys in the autofill of the page's login
 *   form, or creates one without asking.
 * - `data-passkey-error` marks an element in the form that is shown if it failed.
 * - `data-passkey-signal` has the JSON of {@linkcode signalPasskeys}.
 *
 * @example In the script of a page
 * ```ts
 * import { connectPasskeyForms } from "@gatehouse/web/auth/passkey/browser";
 * import { assertEquals } from "@std/assert";
 *
 * // Does nothing without passkeys.
 * assertEquals(connectPasskeyForms(), undefined);
 * ```
 */
export function connectPasskeyForms(): void {
  if (typeof PublicKeyCredential === "undefined") return;
  const find = (selector: string) => document.querySelectorAll(selector);
  for (const { dataset } of find("[data-passkey-signal]")) {
    signalPasskeys(JSON.parse(dataset.passkeySignal!));
  }
  for (const form of find("form[data-passkey-create],form[data-passkey-get]")) {
    const { passkeyConditional, passkeyCreate } = form.dataset;
    const isConditional = passkeyConditional !== undefined;
    if (isConditional) runConditional(form);
    // A passkey that is created without asking needs no button.
    if (isConditional && passkeyCreate !== undefined) continue;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      run(form).catch((error) => showError(form, error));
    });
  }
}

/** Calls the authenticator and posts the response. */
async function run(form: Form, conditional = false): Promise<void> {
  waiting?.abort();
  const { signal } = waiting = new AbortController();
  const { passkeyCreate, passkeyGet } = form.dataset;
  const answer = await fetch(passkeyCreate ?? passkeyGet!, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: fieldsOf(form),
    signal,
  });
  if (!answer.ok) throw new Error(`The options have status ${answer.status}`);
  const options = await answer.json();
  // The server may not want a passkey now.
  if (options === null) return;
  if (conditional && passkeyGet) refreshLater(form, signal, options.timeout);
  const call = { conditional, signal };
  const json = JSON.stringify(
    passkeyCreate === undefined
      ? await getPasskey(options, call)
      : await registerPasskey(options, call),
  );
  form.querySelector("[name=passkey]")!.value = json;
  if (!conditional || passkeyGet) form.submit();
  else await fetch(form.action, { method: "POST", body: fieldsOf(form) });
}

function fieldsOf(form: Form): URLSearchParams {
  // A passkey form contains no files.
  return new URLSearchParams(
    [...new FormData(form)].map(([name, value]) => [name, String(value)]),
  );
}

/** Waits for the autofill, or creates a passkey, if the browser can. */
async function runConditional(form: Form): Promise<void> {
  try {
    const support = PublicKeyCredential!;
    const canWait = form.dataset.passkeyCreate === undefined
      ? await support.isConditionalMediationAvailable?.()
      : (await support.getClientCapabilities?.())?.conditionalCreate;
    if (canWait) await run(form, true);
  } catch {
    // The user has not asked for anything yet.
  }
}

/** Waits with new options, before the challenge expires. */
function refreshLater(
  form: Form,
  signal: AbortSignal,
  timeout: number,
): void {
  const refresh = () => {
    if (signal.aborted) return;
    if (!document.hidden) runConditional(form);
    else document.addEventListener("visibilitychange", refresh, { once: true });
  };
  setTimeout(refresh, timeout);
}

function showError(form: Form, error: unknown): void {
  const message = form.querySelector("[data-passkey-error]");
  if (message) message.hidden = false;
  form.dispatchEvent(
    new CustomEvent("passkeyerror", { bubbles: true, detail: error }),
  );
}

function request<PublicKey>(
  publicKey: PublicKey,
  conditional: boolean | undefined,
  signal: AbortSignal | undefined,
) {
  const mediation = "conditional" as const;
  return {
    publicKey,
    ...signal && { signal },
    ...conditional && { mediation },
  };
}

function toDescriptor({ id, transports = [], type }: PasskeyDescriptor) {
  return { type, id: decode(id), transports };
}

function toJSON<Response>(
  { id }: Credential<unknown>,
  response: Response,
) {
  // The credential's own `toJSON()` is missing in Safari before version 18.4.
  const type = "public-key" as const;
  return { id, rawId: id, type, response, clientExtensionResults: {} };
}

function decode(base64url: string): Uint8Array<ArrayBuffer> {
  const base64 = base64url.replace(/-/g, "+").replace(/_/g, "/");
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}

function encode(buffer: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}
