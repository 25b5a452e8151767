/** A passkey that the browser may use, or must not register again. */
export interface PasskeyDescriptor {
  /** Always `public-key`. */
  readonly type: "public-key";
  /** The credential id, base64url. */
  readonly id: string;
  /** The transports of the authenticator. */
  readonly transports?: readonly string[];
}

/** The kind of authenticator that the browser offers first. */
export type PasskeyHint = "security-key" | "client-device" | "hybrid";

/**
 * Options for `navigator.credentials.create()`, as JSON.
 *
 * @see {@link https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialcreationoptionsjson | Web Authentication Level 3, section 5.1.9}
 */
export interface PasskeyCreationOptions {
  /** The relying party: this application. */
  readonly rp: { readonly id: string; readonly name: string };
  /** The user. */
  readonly user: {
    /** The user handle, base64url. */
    readonly id: string;
    /** The name that tells accounts apart, such as an email address. */
    readonly name: string;
    /** The name for people. */
    readonly displayName: string;
  };
  /** The challenge, base64url. */
  readonly challenge: string;
  /** The accepted algorithms, the best first. */
  readonly pubKeyCredParams: readonly {
    readonly type: "public-key";
    readonly alg: number;
  }[];
  /** The time for the user to answer, in milliseconds. */
  readonly timeout: number;
  /** The passkeys that the user has already. */
  readonly excludeCredentials: readonly PasskeyDescriptor[];
  /** The demands on the authenticator. */
  readonly authenticatorSelection: {
    readonly residentKey: "required";
    readonly requireResidentKey: true;
    readonly userVerification: UserVerification;
  };
  /** The kinds of authenticators that the browser offers first. */
  readonly hints: readonly PasskeyHint[];
  /** `direct` if the application verifies attestations. */
  readonly attestation: "none" | "direct";
}

/**
 * Options for `navigator.credentials.get()`, as JSON.
 *
 * @see {@link https://www.w3.org/TR/webauthn-3/#dictdef-publickeycredentialrequestoptionsjson | Web Authentication Level 3, section 5.1.10}
 */
export interface PasskeyRequestOptions {
  /** The challenge, base64url. */
  readonly challenge: string;
  /** The time for the user to answer, in milliseconds. */
  readonly timeout: number;
  /** The RP ID. */
  readonly rpId: string;
  /**
   * The passkeys of the user. The array is empty if the user is not known yet.
   */
  readonly allowCredentials: readonly PasskeyDescriptor[];
  /** The demand for a PIN or biometrics. */
  readonly userVerification: UserVerification;
  /** The kinds of authenticators that the browser offers first. */
  readonly hints: readonly PasskeyHint[];
}

/** The demand for a PIN or biometrics. */
export type UserVerification = "required" | "preferred" | "discouraged";

/** The response of `navigator.credentials.create()`, as JSON. */
export interface PasskeyRegistrationJSON {
  /** The credential id, base64url. */
  readonly id: string;
  /** The same id. */
  readonly rawId: string;
  /** Always `public-key`. */
  readonly type: "public-key";
  /** The response of the authenticator, base64url. */
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports?: string[];
  };
  /** The results of extensions, which the library ignores. */
  readonly clientExtensionResults: Record<string, never>;
}

/** The response of `navigator.credentials.get()`, as JSON. */
export interface PasskeyAssertionJSON {
  /** The credential id, base64url. */
  readonly id: string;
  /** The same id. */
  readonly rawId: string;
  /** Always `public-key`. */
  readonly type: "public-key";
  /** The response of the authenticator, base64url. */
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string;
  };
  /** The results of extensions, which the library ignores. */
  readonly clientExtensionResults: Record<string, never>;
}
