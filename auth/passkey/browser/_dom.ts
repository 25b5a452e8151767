// These are the browser types that this folder uses. The library is checked
// without the DOM types, and JSR refuses a reference to them.

/** An element of a page, such as a form. */
export interface PageElement {
  readonly dataset: Readonly<Record<string, string | undefined>>;
  hidden: boolean;
  querySelector(selector: string): PageElement | null;
  dispatchEvent(event: Event): boolean;
}

/** A form. */
export interface Form extends PageElement {
  readonly action: string;
  submit(): void;
  addEventListener(type: "submit", listener: (event: Event) => void): void;
  querySelector(selector: string): PageElement & { value: string } | null;
}

/** The page. */
export interface Page {
  readonly hidden: boolean;
  querySelectorAll(selector: string): Iterable<Form>;
  addEventListener(
    type: "visibilitychange",
    listener: () => void,
    options: { readonly once: boolean },
  ): void;
}

/** A new passkey, or the proof of one. */
export interface Credential<Response> {
  readonly id: string;
  readonly response: Response;
}

/** The response to a registration. */
export interface Attestation {
  readonly clientDataJSON: ArrayBuffer;
  readonly attestationObject: ArrayBuffer;
  getTransports?(): string[];
}

/** The response to a login. */
export interface Assertion {
  readonly clientDataJSON: ArrayBuffer;
  readonly authenticatorData: ArrayBuffer;
  readonly signature: ArrayBuffer;
  readonly userHandle: ArrayBuffer | null;
}

/** The part of `navigator` for passkeys. */
export interface Authenticator {
  readonly credentials: {
    create(options: unknown): Promise<Credential<Attestation>>;
    get(options: unknown): Promise<Credential<Assertion>>;
  };
}

/** The static methods of `PublicKeyCredential`, which some browsers lack. */
export interface PasskeySupport {
  isConditionalMediationAvailable?(): Promise<boolean>;
  getClientCapabilities?(): Promise<Readonly<Record<string, boolean>>>;
  signalAllAcceptedCredentials?(signal: unknown): Promise<void>;
  signalCurrentUserDetails?(signal: unknown): Promise<void>;
  signalUnknownCredential?(signal: unknown): Promise<void>;
}
