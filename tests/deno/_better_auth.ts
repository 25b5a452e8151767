/** An application with better-auth on SQLite, and users that its pages created. */
import { DatabaseSync } from "node:sqlite";
import { passkey } from "npm:@better-auth/passkey@1.7.6";
import { betterAuth, type BetterAuthOptions } from "npm:better-auth@1.7.25";
import { symmetricDecrypt } from "npm:better-auth@1.7.25/crypto";
import { getMigrations } from "npm:better-auth@1.7.25/db/migration";
import { admin, organization, twoFactor } from "npm:better-auth@1.7.25/plugins";
import { assert, assertEquals } from "@std/assert";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createTestAuthenticator } from "@gatehouse/web/testing";

/** The secret of the application. */
export const BETTER_AUTH_SECRET = "better-auth's own secret of 32 characters";

/** The password of its users, which the form NFKC changes. */
export const OLD_PASSWORD = "correct horse ﬁve";

const ORIGIN = "https://test.example";

/** Decrypts as better-auth does. */
export function decrypt(data: string): Promise<string> {
  return symmetricDecrypt({ key: BETTER_AUTH_SECRET, data });
}

/** Starts an application in a file, or in memory. */
export async function startBetterAuth(path = ":memory:") {
  const database = new DatabaseSync(path);
  const query = (sql: string, params: (string | number | null)[]) =>
    database.prepare(sql).all(...params) as Record<string, unknown>[];
  return { ...await createBetterAuth(database), database, query };
}

/** Creates an application with its tables. */
export async function createBetterAuth(
  database: NonNullable<BetterAuthOptions["database"]>,
) {
  const options = {
    database,
    secret: BETTER_AUTH_SECRET,
    baseURL: ORIGIN,
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    plugins: [
      twoFactor({ issuer: "Old" }),
      passkey(),
      admin(),
      organization(),
    ],
    telemetry: { enabled: false },
  };
  await (await getMigrations(options)).runMigrations();
  const auth = betterAuth(options);
  return { auth, browser: () => new OldBrowser(auth.handler) };
}

/** A browser that keeps the cookies of better-auth. */
export class OldBrowser {
  readonly cookies = new Map<string, string>();
  readonly #handler: (request: Request) => Promise<Response>;

  constructor(handler: (request: Request) => Promise<Response>) {
    this.#handler = handler;
  }

  /** Calls an endpoint, which must answer 200. */
  async call(path: string, body?: unknown) {
    const response = await this.#handler(
      new Request(`${ORIGIN}/api/auth${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Origin: ORIGIN,
          Cookie: [...this.cookies].map((pair) => pair.join("=")).join("; "),
          ...body !== undefined && { "Content-Type": "application/json" },
        },
        ...body !== undefined && { body: JSON.stringify(body) },
      }),
    );
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await response.text();
    assertEquals(response.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  }

  /** Registers a user, who is then logged in. */
  async signUp(name: string) {
    const email = `${name.toLowerCase()}@example.com`;
    const body = { name, email, password: OLD_PASSWORD };
    return (await this.call("/sign-up/email", body)).user;
  }

  /** Adds an authenticator app, and returns its secret and the recovery codes. */
  async enableApp() {
    const { backupCodes, totpURI } = await this.call("/two-factor/enable", {
      password: OLD_PASSWORD,
    });
    const secret = new URL(totpURI).searchParams.get("secret")!;
    await this.call("/two-factor/verify-totp", {
      code: await generateTOTP(secret),
    });
    return { secret, backupCodes: backupCodes as string[] };
  }

  /** Adds a passkey. */
  async addPasskey() {
    const authenticator = createTestAuthenticator({ origin: ORIGIN });
    const options = await this.call("/passkey/generate-register-options");
    const response = await authenticator.register(options);
    await this.call("/passkey/verify-registration", {
      response,
      name: "Phone",
    });
    assert(options.user.id !== "");
    return authenticator;
  }
}
