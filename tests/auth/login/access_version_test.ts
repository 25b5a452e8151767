// One version of an account ends all access: every way to prove, add or remove a
// way in compares the version that it began with. None of them
// works while acting as another user.
import {
  completeAuth,
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "@gatehouse/web/auth";
import {
  auth,
  createSessionAuthScheme,
  requireAuth,
} from "@gatehouse/web/auth-middleware";
import {
  type EnableTOTPResult,
  generateTOTP,
  type SecondFactors,
} from "@gatehouse/web/auth/second-factor";
import { createRouter, type RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import * as authExports from "@gatehouse/web/auth";
import { assert, assertEquals } from "@std/assert";
import { createFactorApp } from "../_second_factor_app.ts";
import {
  createVersionedApp,
  type StoreCall,
  USER,
  type VersionedApp,
} from "../_versioned_app.ts";

/** One way to prove, add or remove a way in. */
interface Way {
  /** Begins, and returns the step that succeeds unless access was ended. */
  readonly begin: (app: VersionedApp) => Promise<() => Promise<boolean>>;
  /** The calls of a store during which access may end. */
  readonly during?: readonly StoreCall[];
  /** `true` if it outlives the end of access, which a reset removes by itself. */
  readonly survives?: true;
  /** Runs it for a user who acts as another one; without it, it has no session. */
  readonly acting?: (app: VersionedApp) => Promise<number>;
}

/** Factors with the part that only the library calls, for accounts. */
interface LoginFactors extends SecondFactors {
  setUpTOTP(
    context: RequestContext,
    login: {
      readonly userId: number;
      readonly setup: string;
      readonly code: string;
      readonly claim: () => Promise<number | null>;
    },
  ): Promise<EnableTOTPResult>;
}

const email = "ada@example.com";
const methods = ["pwd"];

/** Begins a first factor with the present version, which waits for a code. */
async function beginLogin(app: VersionedApp): Promise<void> {
  const version = app.version();
  await app.browser.run((context) =>
    app.factors.completeFirstFactor(context, USER, { methods, version })
  );
}

/** Sets up an authenticator app, and logs out. */
async function withApp(app: VersionedApp): Promise<void> {
  const owner = app.newBrowser();
  await owner.logIn();
  assert(await app.enable(owner));
}

/** Registers a passkey of the user. */
async function register(app: VersionedApp, browser = app.browser) {
  const user = { id: USER, name: email };
  const { result } = await browser.run((context) =>
    app.passkeys.registrationOptions(context, user)
  );
  const response = await app.authenticator.register(result!);
  return async () => {
    const { result } = await browser.run(
      (context) => app.passkeys.finishRegistration(context),
      json(response),
    );
    const { length } = await app.passkeyStore.list(USER);
    assertEquals(length, Number(result?.ok));
    return length === 1;
  };
}

function json(body: unknown): RequestInit {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

/** Runs something as an administrator who acts as the user. */
function whileActing(
  act: (
    app: VersionedApp,
    ...args: Parameters<Parameters<VersionedApp["browser"]["run"]>[0]>
  ) => Promise<unknown>,
): NonNullable<Way["acting"]> {
  return async (app) => {
    await app.browser.act();
    const { status } = await app.browser.run((context) => act(app, context));
    return status;
  };
}

/** Begins a login by email, and returns the step with its result. */
function byEmail(
  verify: "verifyCode" | "verifyLink",
): Pick<Way, "begin" | "acting"> {
  return {
    async begin({ browser, emailLogin, version: versionOf }) {
      const version = versionOf();
      const request = { email, account: USER, version };
      const { result: mail } = await browser.run((context) =>
        emailLogin.start(context, request)
      );
      const typed = verify === "verifyCode" ? mail!.code : mail!.token;
      return async () => {
        await browser.run(async (context) => {
          const result = await emailLogin[verify](context, typed);
          if (!result.ok) return;
          const { account, version } = result;
          await completeAuth(context, account, { version });
        });
        return await browser.isIn();
      };
    },
    acting: whileActing((app, context) =>
      app.emailChange[verify](context, "123456")
    ),
  };
}

const ways: Record<string, Way> = {
  "completeAuth": {
    begin: ({ browser, version: versionOf }) => {
      const version = versionOf();
      return Promise.resolve(async () => {
        await browser.run((context) =>
          completeAuth(context, USER, { version })
        );
        return await browser.isIn();
      });
    },
    acting: whileActing((_, context) => completeAuth(context, USER)),
  },
  "takeOneTimeToken": {
    async begin({ browser, store, version: versionOf }) {
      const purpose = "login-link";
      const options = { purpose, account: USER, version: versionOf() };
      const token = await createOneTimeToken(store, options);
      const read = await readOneTimeToken(store, { purpose, token });
      assertEquals(read?.version, options.version);
      return async () => {
        await browser.run(async (context) => {
          const grant = await takeOneTimeToken(store, { purpose, token });
          const { version } = grant!;
          await completeAuth(context, USER, { version });
        });
        return await browser.isIn();
      };
    },
  },
  "EmailLogin.verifyCode": byEmail("verifyCode"),
  "EmailLogin.verifyLink": byEmail("verifyLink"),
  "EmailLogin.start": {
    ...byEmail("verifyCode"),
    acting: whileActing((app, context) =>
      app.emailChange.start(context, { email, account: USER })
    ),
  },
  "SecondFactors.completeFirstFactor": {
    begin(app) {
      const version = app.version();
      return Promise.resolve(async () => {
        await app.browser.run((context) =>
          app.factors.completeFirstFactor(context, USER, { version })
        );
        return await app.browser.isIn();
      });
    },
    acting: whileActing((app, context) =>
      app.factors.completeFirstFactor(context, USER, { version: 1 })
    ),
  },
  "SecondFactors.verifyCode": {
    async begin(app) {
      await withApp(app);
      await beginLogin(app);
      return async () => {
        const code = await app.code();
        await app.browser.run((context) =>
          app.factors.verifyCode(context, code)
        );
        return await app.browser.isIn();
      };
    },
  },
  "SecondFactors.completeSecondFactor": {
    async begin(app) {
      await withApp(app);
      await beginLogin(app);
      return async () => {
        await app.browser.run((context) =>
          app.factors.completeSecondFactor(context, ["hwk"])
        );
        return await app.browser.isIn();
      };
    },
  },
  "a remembered device": {
    async begin(app) {
      await withApp(app);
      await beginLogin(app);
      return async () => {
        const code = await app.code();
        await app.browser.run((context) =>
          app.factors.verifyCode(context, code, { rememberDevice: true })
        );
        await app.browser.run((context) => {
          context.get(Session).destroy();
          return Promise.resolve();
        });
        // With the present password, and so with the present version.
        await beginLogin(app);
        return await app.browser.isIn();
      };
    },
    during: ["put second-factor:device"],
  },
  "SecondFactors.confirmCode": {
    async begin(app) {
      await withApp(app);
      await app.browser.logIn();
      return async () => {
        const code = await app.code();
        await app.browser.run((context) =>
          app.factors.confirmCode(context, code)
        );
        return await app.browser.isIn();
      };
    },
    acting: whileActing((app, context) =>
      app.factors.confirmCode(context, "123456")
    ),
  },
  "SecondFactors.enableTOTP": {
    async begin(app) {
      await app.browser.logIn();
      return async () => {
        const isEnabled = await app.enable();
        assertEquals((await app.factors.status(USER)).totp, isEnabled);
        return isEnabled;
      };
    },
    during: ["put second-factor:"],
    acting: async (app) => {
      await app.browser.act();
      const form = { setup: "", code: "" };
      const { status } = await app.browser.run((context) =>
        app.factors.enableTOTP(context, form)
      );
      return status;
    },
  },
  // It has no session, because the login waits for it.
  "SecondFactors.setUpTOTP": {
    async begin({ browser, factors, version: versionOf }) {
      const version = versionOf();
      const { secret, setup } = await factors.createTOTP(USER, email);
      const code = await generateTOTP(secret);
      const claim = () => Promise.resolve(version);
      return async () => {
        const { result } = await browser.run((context) =>
          (factors as LoginFactors)
            .setUpTOTP(context, { userId: USER, setup, code, claim })
        );
        assertEquals((await factors.status(USER)).totp, result?.ok);
        return result?.ok === true;
      };
    },
    during: ["put second-factor:"],
  },
  "SecondFactors.createRecoveryCodes": {
    async begin(app) {
      await app.browser.logIn();
      return async () => {
        const { result } = await app.browser.run((context) =>
          app.factors.createRecoveryCodes(context)
        );
        const { recoveryCodes } = await app.factors.status(USER);
        assertEquals(recoveryCodes, result?.length ?? 0);
        return recoveryCodes > 0;
      };
    },
    during: ["put second-factor:"],
    acting: whileActing((app, context) =>
      app.factors.createRecoveryCodes(context)
    ),
  },
  "SecondFactors.disable": {
    async begin(app) {
      await withApp(app);
      await app.browser.logIn();
      return async () => {
        const { result } = await app.browser.run((context) =>
          app.factors.disable(context)
        );
        const { recoveryCodes, totp } = await app.factors.status(USER);
        assertEquals([totp, recoveryCodes], result ? [false, 0] : [true, 10]);
        return !totp;
      };
    },
    during: ["put second-factor:"],
    acting: whileActing((app, context) => app.factors.disable(context)),
  },
  "SecondFactors.removeDevice": {
    begin: () => Promise.resolve(() => Promise.resolve(true)),
    survives: true,
    acting: whileActing((app, context) =>
      app.factors.removeDevice(context, "x")
    ),
  },
  "Passkeys.registrationOptions": {
    begin: async (app) => {
      await app.browser.logIn();
      return await register(app);
    },
    acting: whileActing((app, context) =>
      app.passkeys.registrationOptions(context, { id: USER, name: email })
    ),
  },
  "Passkeys.upgradeOptions": {
    async begin(app) {
      await app.browser.logIn();
      const user = { id: USER, name: email };
      const { result } = await app.browser.run((context) =>
        app.passkeys.upgradeOptions(context, user)
      );
      const response = await app.authenticator.register(result!);
      return async () => {
        await app.browser.run(
          (context) => app.passkeys.finishRegistration(context),
          json(response),
        );
        return (await app.passkeyStore.list(USER)).length === 1;
      };
    },
    acting: whileActing((app, context) =>
      app.passkeys.upgradeOptions(context, { id: USER, name: email })
    ),
  },
  "Passkeys.finishRegistration": {
    async begin(app) {
      await app.browser.logIn();
      return await register(app);
    },
    during: ["create passkey"],
    acting: (app) => statusOf(app, "registration"),
  },
  "Passkeys.authenticationOptions": {
    begin: () => Promise.resolve(() => Promise.resolve(true)),
    survives: true,
    acting: whileActing((app, context) =>
      app.passkeys.authenticationOptions(context, {
        purpose: "confirm",
        userId: USER,
      })
    ),
  },
  "Passkeys.finishAuthentication": {
    async begin(app) {
      const owner = app.newBrowser();
      await owner.logIn();
      assert(await (await register(app, owner))());
      const { result } = await app.browser.run((context) =>
        app.passkeys.authenticationOptions(context)
      );
      const response = await app.authenticator.authenticate(result!);
      return async () => {
        await app.browser.run(async (context) => {
          const result = await app.passkeys.finishAuthentication(context);
          if (!result.ok) return;
          const { userId, version } = result;
          await completeAuth(context, userId, { version });
        }, json(response));
        return await app.browser.isIn();
      };
    },
    during: ["update passkey"],
    survives: true,
    acting: (app) => statusOf(app, "confirm"),
  },
};

/** Sends a response of an authenticator while acting, and returns the status. */
async function statusOf(
  app: VersionedApp,
  purpose: "registration" | "confirm",
): Promise<number> {
  const { authenticator, browser, passkeys } = app;
  const owner = app.newBrowser();
  await owner.logIn();
  assert(await (await register(app, owner))());
  const user = { id: USER, name: email };
  const { result } = await browser.run(async (context) => {
    const creation = await passkeys.registrationOptions(context, {
      ...user,
      id: 8,
    });
    const request = await passkeys.authenticationOptions(context);
    return { creation, request };
  });
  const response = purpose === "registration"
    ? await authenticator.register(result!.creation)
    : await authenticator.authenticate(result!.request);
  await browser.act();
  const { status } = await browser.run<unknown>(
    (context) =>
      purpose === "registration"
        ? passkeys.finishRegistration(context)
        : passkeys.finishAuthentication(context, purpose),
    json(response),
  );
  return status;
}

for (const [name, { begin, survives = false }] of Object.entries(ways)) {
  Deno.test(`${name} works if access was not ended`, async () => {
    assert(await (await begin(createVersionedApp()))());
  });

  Deno.test(`${name} ${survives ? "outlives" : "ends with"} all access`, async () => {
    const app = createVersionedApp();
    const finish = await begin(app);
    app.endAccess();
    assertEquals(await finish(), survives);
  });
}

for (const [name, { begin, during = [] }] of Object.entries(ways)) {
  for (const call of during) {
    for (const when of ["endBefore", "endAfter"] as const) {
      const moment = `${when === "endBefore" ? "before" : "after"} "${call}"`;
      // A write that the store has compared and stored came first.
      const isFirst = when === "endAfter" && call === "create passkey";
      Deno.test(`${name} ${isFirst ? "comes before" : "does not survive"} an end of access right ${moment}`, async () => {
        const app = createVersionedApp();
        const finish = await begin(app);
        app[when](call);
        assertEquals(await finish(), isFirst);
      });
    }
  }
}

for (const [name, { acting }] of Object.entries(ways)) {
  if (acting === undefined) continue;
  Deno.test(`${name} responds with 403 while acting as the user`, async () => {
    const app = createVersionedApp();
    assertEquals(await acting(app), 403);
    assertEquals(app.denied, ["acting"]);
    // The administrator still acts, with nothing changed.
    assert(await app.browser.isIn());
    const { recoveryCodes, totp } = await app.factors.status(USER);
    assertEquals([totp, recoveryCodes], [false, 0]);
  });
}

/** The methods and functions that neither prove, add nor remove a way in. */
const others: Record<string, readonly string[]> = {
  SecondFactors: [
    // They read.
    "status",
    "pendingLogin",
    "devices",
    "createTOTP",
    // For resets and jobs, which have no session of the user.
    "remove",
    "revoke",
    "reencrypt",
  ],
  EmailLogin: ["open", "pendingEmail", "revoke"],
  Passkeys: ["rpId", "origins", "signal"],
  // `create` compares, and so its users are rows; the others end nothing.
  PasskeyStore: ["get", "list", "create", "update", "rename", "remove"],
};

Deno.test("each method of factors, emails and passkeys is in the table", () => {
  const { emailLogin, factors, passkeys, passkeyStore } = createVersionedApp();
  const all = {
    SecondFactors: membersOf(factors),
    EmailLogin: membersOf(emailLogin),
    Passkeys: membersOf(passkeys),
    PasskeyStore: membersOf(passkeyStore),
  };
  for (const [kind, names] of Object.entries(all)) {
    const rows = Object.keys(ways).filter((way) => way.startsWith(`${kind}.`))
      .map((way) => way.slice(kind.length + 1));
    assertEquals([...rows, ...others[kind]!].sort(), [...names].sort());
  }
});

/** Returns the names of an object's members, which its class may define. */
function membersOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object);
  const inherited = prototype === Object.prototype
    ? []
    : Object.getOwnPropertyNames(prototype);
  return [...Object.keys(object), ...inherited]
    .filter((name) => name !== "constructor");
}

Deno.test("each function of ./auth is in the table, or is known to be no way in", () => {
  const known =
    /^(create\w+Provider|create(\w*Throttle|Token)|External\w+|is\w+)$/;
  const names = Object.keys(authExports)
    .filter((name) => !known.test(name) && ways[name] === undefined);
  assertEquals(names.sort(), [
    // They end access.
    "backChannelLogout",
    "createOneTimeToken",
    // The application logs in with their results, by `completeAuth`.
    "credentialsAuthResult",
    "endSessionUrl",
    "externalAuthCallbacks",
    "externalAuthResult",
    "finishExternalAuth",
    "hashToken",
    "readOneTimeToken",
    "refreshExternalAuth",
    "revokeExternalAuth",
    "revokeOneTimeTokens",
    "startExternalAuth",
    "tooManyRequests",
    "verifyCredentials",
    "verifyToken",
  ]);
});

Deno.test("a session without a version has no user if `version` returns nothing by mistake", async () => {
  const users = new Map([[7, { id: 7 } as { id: number; version: number }]]);
  const scheme = createSessionAuthScheme({
    name: "browser",
    verify: (id: number) => users.get(id) ?? null,
    version: (user) => user.version,
  });
  const router = createRouter({
    middleware: [
      session({ store: createMemorySessionStore() }),
      auth({ schemes: [scheme] }),
    ],
  });
  router.post("/", async (context) => {
    await completeAuth(context, 7);
    return new Response();
  });
  router.get("/", requireAuth(), () => new Response());
  const { fetch } = createTestClient(router);
  await fetch("/", { method: "POST" });
  assertEquals((await fetch("/")).status, 401);
});

Deno.test("a session without a version changes no factors if `version` returns nothing by mistake", async () => {
  const app = createFactorApp({ version: () => undefined! });
  assertEquals(
    await app.own(1, (context) => app.factors.disable(context)),
    false,
  );
});
