/**
 * Oddities of browsers and password managers in the script that
 * `passkeyScript()` serves. Each row names its source. Sections without a title
 * are those of Web Authentication Level 3.
 */
import { assertEquals } from "@std/assert";
import { passkeyScript } from "@gatehouse/web/auth/passkey";
import type { Loose } from "../auth/_passkey_app.ts";

/** The exports of the script. */
interface Script {
  connectPasskeyForms(): void;
  registerPasskey(options: Loose, call?: Loose): Promise<Loose>;
  getPasskey(options: Loose, call?: Loose): Promise<Loose>;
  signalPasskeys(signal: Loose): Promise<void>;
}

/** The globals of a browser. */
interface Browser {
  readonly navigator?: Loose;
  readonly PublicKeyCredential?: Loose;
  readonly forms?: readonly Form[];
  readonly onRequest?: (url: string) => void;
}

const SCRIPT = await passkeyScript().text();

/** Runs the script with the globals of a browser. */
function load(
  { navigator = {}, PublicKeyCredential, forms = [], onRequest = () => {} }:
    Browser,
): Script {
  const globals: Record<string, unknown> = {
    navigator,
    PublicKeyCredential,
    document: {
      hidden: false,
      querySelectorAll: (selector: string) =>
        selector.startsWith("form") ? forms : [],
      addEventListener() {},
    },
    FormData: class {
      *[Symbol.iterator]() {}
    },
    fetch: (url: string) => {
      onRequest(url);
      const options = url === "/create" ? CREATION : REQUEST;
      return Promise.resolve(Response.json(options));
    },
    setTimeout() {},
  };
  const body = SCRIPT.replace(
    /export\{([^}]*)\};?\s*$/,
    (_, names: string) =>
      `return{${names.replace(/([\w$]+) as ([\w$]+)/g, "$2:$1")}}`,
  );
  return new Function(...Object.keys(globals), body)(
    ...Object.values(globals),
  );
}

/** A form of a page, and what happens to it. */
class Form {
  hidden = true;
  readonly submitted: string[] = [];
  readonly field = { value: "" };
  readonly message = { hidden: true };
  readonly errors: unknown[] = [];
  readonly action = "/send";
  /** Resolves with the name of the first event. */
  readonly ended: Promise<string>;
  #end!: (name: string) => void;
  #submit: (event: Event) => void = () => {};

  constructor(readonly dataset: Readonly<Record<string, string>>) {
    this.ended = new Promise((resolve) => this.#end = resolve);
  }

  querySelector(selector: string): unknown {
    return selector === "[name=passkey]" ? this.field : this.message;
  }

  addEventListener(_: string, listener: (event: Event) => void): void {
    this.#submit = listener;
  }

  dispatchEvent(event: CustomEvent): boolean {
    this.errors.push(event.detail);
    this.#end("failed");
    return true;
  }

  submit(): void {
    this.submitted.push(this.field.value);
    this.#end("submitted");
  }

  /** Presses the button. */
  press(): void {
    this.#submit(new Event("submit", { cancelable: true }));
  }
}

const CREATION = {
  rp: { id: "test.example", name: "Test" },
  user: { id: "AQ", name: "ada", displayName: "Ada" },
  challenge: "Ag",
  pubKeyCredParams: [],
  timeout: 300_000,
  excludeCredentials: [
    { type: "public-key", id: "Aw", transports: ["cable", "new-one"] },
    { type: "public-key", id: "BA" },
  ],
};
const REQUEST = {
  challenge: "Ag",
  timeout: 300_000,
  rpId: "test.example",
  allowCredentials: [{ type: "public-key", id: "Aw", transports: [] }],
  userVerification: "required",
  hints: [],
};

const buffer = (...bytes: number[]) => new Uint8Array(bytes).buffer;
const attestation = {
  clientDataJSON: buffer(1),
  attestationObject: buffer(2),
};
const assertion = {
  clientDataJSON: buffer(1),
  authenticatorData: buffer(2),
  signature: buffer(3),
  userHandle: null as Loose,
};

/** Returns a browser whose authenticator gives this response. */
function answering(response: Loose): Loose {
  const answer = () =>
    Promise.resolve(response && { id: "BQ", type: "public-key", response });
  return { credentials: { create: answer, get: answer } };
}

const creations: [name: string, source: string, Loose, transports: Loose][] = [
  [
    "getTransports() is missing",
    "Safari before 16, Firefox before 119",
    {},
    [],
  ],
  ["getTransports() returns null", "password managers", {
    getTransports: () => null,
  }, []],
  ["getTransports() returns unknown names", "5.2.1", {
    getTransports: () => ["hybrid", "new-one"],
  }, ["hybrid", "new-one"]],
  ["getPublicKey() throws", "1Password: passwordless-id/webauthn#37", {
    getPublicKey() {
      throw new Error("unimplemented");
    },
  }, []],
];

for (const [name, source, members, transports] of creations) {
  Deno.test(`registerPasskey() returns the response if ${name} (${source})`, async () => {
    const navigator = answering({ ...attestation, ...members });
    // Neither toJSON() nor parseCreationOptionsFromJSON() exists.
    const { registerPasskey } = load({ navigator });
    assertEquals(await registerPasskey(CREATION), {
      id: "BQ",
      rawId: "BQ",
      type: "public-key",
      response: { clientDataJSON: "AQ", attestationObject: "Ag", transports },
      clientExtensionResults: {},
    });
  });
}

const handles: [name: string, source: string, Loose, Loose][] = [
  ["is null", "2.2.1, U2F", null, {}],
  ["is undefined", "password managers", undefined, {}],
  // The server takes an empty one for a missing one.
  ["is empty", "Safari: WebKit bug 239737", buffer(), { userHandle: "" }],
  ["is a view", "password managers", new Uint8Array([7]), { userHandle: "Bw" }],
  ["has 64 bytes", "5.4.3", buffer(...new Uint8Array(64)), {
    userHandle: "A".repeat(86),
  }],
];

for (const [name, source, userHandle, expected] of handles) {
  Deno.test(`getPasskey() returns the response if the user handle ${name} (${source})`, async () => {
    const navigator = answering({ ...assertion, userHandle });
    const { response } = await load({ navigator }).getPasskey(REQUEST);
    assertEquals(response, {
      clientDataJSON: "AQ",
      authenticatorData: "Ag",
      signature: "Aw",
      ...expected,
    });
  });
}

Deno.test("registerPasskey() passes transports that it does not know (WebAuthn 5.8.3)", async () => {
  const asked: Loose[] = [];
  const { credentials } = answering(attestation);
  const navigator = {
    credentials: {
      create(options: Loose) {
        asked.push(options);
        return credentials.create();
      },
    },
  };
  await load({ navigator }).registerPasskey(CREATION);
  const [{ publicKey, ...others }] = asked;
  assertEquals(others, {});
  assertEquals(
    publicKey.excludeCredentials.map(({ transports }: Loose) => transports),
    [["cable", "new-one"], []],
  );
});

const resolve = () => Promise.resolve();
const reject = () => Promise.reject(new TypeError("Type error"));
const UNKNOWN = { rpId: "test.example", credentialId: "AQ" };
const KNOWN = {
  rpId: "test.example",
  userId: "AQ",
  allAcceptedCredentialIds: [],
  name: "ada",
  displayName: "Ada",
};

const signals: [name: string, source: string, support: Loose][] = [
  ["PublicKeyCredential is missing", "HTTP, web views", undefined],
  ["there is no Signal API", "Firefox, Safari before 26", {}],
  ["only one signal is missing", "5.1.11, each is feature-detected", {
    signalAllAcceptedCredentials: resolve,
  }],
  ["signals reject", "5.1.11, SecurityError for another RP ID", {
    signalUnknownCredential: reject,
    signalAllAcceptedCredentials: reject,
    signalCurrentUserDetails: reject,
  }],
];

for (const [name, source, support] of signals) {
  Deno.test(`signalPasskeys() does not reject if ${name} (${source})`, async () => {
    const { signalPasskeys } = load({ PublicKeyCredential: support });
    await signalPasskeys(UNKNOWN);
    await signalPasskeys(KNOWN);
  });
}

Deno.test("signalPasskeys() sends the names if the browser rejects the list of passkeys (WebAuthn 5.1.11)", async () => {
  const sent: Loose[] = [];
  const { signalPasskeys } = load({
    PublicKeyCredential: {
      signalAllAcceptedCredentials: reject,
      signalCurrentUserDetails: (details: Loose) => void sent.push(details),
    },
  });
  await signalPasskeys(KNOWN);
  const { allAcceptedCredentialIds: _, ...details } = KNOWN;
  assertEquals(sent, [details]);
});

const failures: [name: string, source: string, navigator: Loose][] = [
  ["navigator.credentials is missing", "web views", {}],
  ["the call resolves with null", "Credential Management, 2.3.1", {
    credentials: answering(null).credentials,
  }],
  [
    "the browser rejects a transport",
    "Safari 16.1: FusionAuth/fusionauth-issues#1950",
    { credentials: { create: reject, get: reject } },
  ],
];

for (const [name, source, navigator] of failures) {
  Deno.test(`a form shows its error if ${name} (${source})`, async () => {
    for (
      const [name, url] of [["passkeyGet", "/get"], [
        "passkeyCreate",
        "/create",
      ]]
    ) {
      const form = new Form({ [name!]: url! });
      load({ navigator, PublicKeyCredential: {}, forms: [form] });
      form.press();
      assertEquals(await form.ended, "failed");
      assertEquals([form.message.hidden, form.submitted], [false, []]);
      assertEquals(form.errors.length, 1);
    }
  });
}

const supports: [name: string, source: string, Loose, hidden: boolean][] = [
  ["PublicKeyCredential is missing", "HTTP, web views", undefined, true],
  ["autofill is missing", "Firefox before 119", {}, false],
  ["the question about autofill fails", "password managers", {
    isConditionalMediationAvailable: reject,
  }, false],
  ["autofill is not available", "5.1", {
    isConditionalMediationAvailable: () => Promise.resolve(false),
  }, false],
];

for (const [name, source, support, hidden] of supports) {
  Deno.test(`a form for autofill is ${hidden ? "hidden" : "shown"} if ${name} (${source})`, async () => {
    const dataset = { passkeyGet: "/get", passkeyConditional: "" };
    const form = new Form(dataset);
    const navigator = answering(assertion);
    load({ navigator, PublicKeyCredential: support, forms: [form] });
    assertEquals([form.hidden, form.submitted], [hidden, []]);
    if (hidden) return;
    form.press();
    assertEquals(await form.ended, "submitted");
    assertEquals(form.errors, []);
  });
}

/** More than the script needs to find out about the browser. */
const MICROTASKS = 20;

const UPGRADE = { passkeyCreate: "/create", passkeyConditional: "" };

const upgrades: [name: string, support: Loose][] = [
  ["getClientCapabilities() is missing", {}],
  ["getClientCapabilities() rejects", { getClientCapabilities: reject }],
  ["conditionalCreate is missing", {
    getClientCapabilities: () => Promise.resolve({ passkeyPlatform: true }),
  }],
];

for (const [name, support] of upgrades) {
  Deno.test(`a form that creates a passkey without asking stays silent if ${name} (WebAuthn 5.1.8)`, async () => {
    const requests: string[] = [];
    const form = new Form(UPGRADE);
    load({
      navigator: answering(attestation),
      PublicKeyCredential: support,
      forms: [form],
      onRequest: (url) => void requests.push(url),
    });
    // The next test shows that the request would come within these microtasks.
    for (let count = 0; count < MICROTASKS; count++) await null;
    assertEquals([requests, form.hidden, form.errors], [[], true, []]);
  });
}

Deno.test("a form creates a passkey without asking if conditionalCreate is true (WebAuthn 5.1.8)", async () => {
  const requests: string[] = [];
  const form = new Form(UPGRADE);
  const sent = Promise.withResolvers<void>();
  load({
    navigator: answering({ ...attestation, getTransports: () => [] }),
    PublicKeyCredential: {
      getClientCapabilities: () => Promise.resolve({ conditionalCreate: true }),
    },
    forms: [form],
    onRequest(url) {
      requests.push(url);
      if (url === "/send") sent.resolve();
    },
  });
  for (let count = 0; count < MICROTASKS; count++) await null;
  assertEquals(requests[0], "/create");
  await sent.promise;
  assertEquals([requests, form.hidden], [["/create", "/send"], true]);
});
