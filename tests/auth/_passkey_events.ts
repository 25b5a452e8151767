import {
  createMemoryPasskeyStore,
  createTestAuthenticator,
  type TestPasskeyChanges,
} from "@gatehouse/web/testing";
import type { EventLog, EventRow } from "./_event_log.ts";
import {
  createPasskeyApp,
  type Loose,
  type PasskeyAppOptions,
  withPasskey,
} from "./_passkey_app.ts";

/** A ceremony that fails. */
interface Ceremony {
  readonly changes?: TestPasskeyChanges;
  readonly tamper?: (response: Loose) => Loose;
  readonly options?: PasskeyAppOptions;
  readonly device?: Parameters<typeof createTestAuthenticator>[0];
}

/** Changes the flags: 1 the user is present, 4 verified, 16 a backup exists. */
function flags(change: (flags: number) => number): Ceremony {
  const authenticatorData: TestPasskeyChanges["authenticatorData"] = (data) => {
    data[32] = change(data[32]!);
    return data;
  };
  return { changes: { authenticatorData } };
}

const data = (clientData: Record<string, unknown>): Ceremony => ({
  changes: { clientData },
});

/** The reasons of both ceremonies. */
const SHARED: Readonly<Record<string, Ceremony>> = {
  response_malformed: { tamper: () => ({}) },
  challenge_unknown: data({ challenge: "A".repeat(43) }),
  type_mismatch: data({ type: "payment.get" }),
  origin_mismatch: data({ origin: "https://evil.example" }),
  cross_origin: data({ crossOrigin: true }),
  rp_id_mismatch: {
    changes: { authenticatorData: (data) => data.fill(0, 0, 32) },
  },
  user_not_present: flags((flags) => flags & ~1),
  user_not_verified: flags((flags) => flags & ~4),
  backup_state_invalid: flags((flags) => flags | 16),
};

const REGISTRATION: Readonly<Record<string, Ceremony>> = {
  ...SHARED,
  algorithm_unsupported: { device: { algorithm: "ES384" } },
  attestation_invalid: { options: { verifyAttestation: () => false } },
  // The store refuses another version of the account.
  access_ended: {
    options: { store: { ...createMemoryPasskeyStore(), create: () => false } },
  },
};

const LOGIN: Readonly<Record<string, Ceremony>> = {
  ...SHARED,
  passkey_unknown: { tamper: withId },
  user_mismatch: {
    tamper: (response) => {
      response.response.userHandle = "A".repeat(43);
      return response;
    },
  },
  signature_invalid: {
    tamper: (response) => {
      const { authenticatorData, signature } = response.response;
      // The signature of other data.
      response.response.signature = signature.slice(0, -8) +
        authenticatorData.slice(0, 8);
      return response;
    },
  },
  counter_not_increased: {
    device: { counts: true },
    changes: {
      authenticatorData(data) {
        new DataView(data.buffer).setUint32(33, 0);
        return data;
      },
    },
  },
};

/** Replaces the id of a passkey. */
function withId(response: Loose): Loose {
  const id = "A".repeat(22);
  return { ...response, id, rawId: id };
}

function register({ changes, device, options, tamper }: Ceremony) {
  return (log: EventLog) => {
    const middleware = [log.middleware];
    const app = createPasskeyApp({ ...options, middleware });
    return app.register(createTestAuthenticator(device), changes, tamper);
  };
}

function logIn({ changes, device, options, tamper }: Ceremony) {
  return async (log: EventLog) => {
    const all = { ...options, middleware: [log.middleware] };
    const { app, authenticator } = await withPasskey(all, device);
    // A first login, after which a counter must not be 0.
    await app.logIn(authenticator);
    await log.take();
    await app.logIn(authenticator, changes, tamper);
  };
}

/** Sends a request without a body. */
function sendNothing(path: string) {
  return async (log: EventLog) => {
    const { browser } = createPasskeyApp({ middleware: [log.middleware] });
    await browser.fetch(path, { method: "POST" });
  };
}

const from = "auth/passkey/passkeys.ts";

/** The registrations of passkeys, and the logins that fail. */
export const PASSKEY_EVENTS: readonly EventRow[] = [
  { from, event: "factor-add success", user: "7", cause: register({}) },
  ...Object.entries(REGISTRATION).map(([reason, ceremony]) => {
    const event = `factor-add failure ${reason}`;
    return { from, event, cause: register(ceremony) };
  }),
  {
    from,
    event: "factor-add failure response_missing",
    cause: sendNothing("/register"),
  },
  {
    from,
    event: "login failure response_missing",
    cause: sendNothing("/login"),
  },
  {
    from,
    event: "factor-add failure passkey_exists",
    cause: async (log) => {
      const middleware = [log.middleware];
      const { app, id } = await withPasskey({ middleware });
      const base64 = id.replaceAll("-", "+").replaceAll("_", "/");
      const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
      await log.take();
      const options = await app.post("/register/options?user=8");
      const response = await createTestAuthenticator().register(options, {
        authenticatorData(data) {
          data.set(bytes, 55);
          return data;
        },
      });
      await app.post("/register", { ...response, id, rawId: id });
    },
  },
  ...Object.entries(LOGIN).map(([reason, ceremony]) => {
    const event = `login failure ${reason}`;
    return { from, event, cause: logIn(ceremony) };
  }),
];
