import type { Template } from "./template.ts";

/** Registration, login and logout with email address and password. */
export const LOGIN: Template = {
  summary: "Registration, login and logout with a password",
  sources: {
    "app.ts": `import {
  Auth,
  auth,
  createRouter,
  createSessionAuthScheme,
  createThrottle,
  crossOriginProtection,
  formData,
  html,
  logger,
  redirect,
  redirectToLogin,
  requireAuth,
  secureHeaders,
  Session,
  session,
} from "@gatehouse/web";
import { form, post, route } from "@gatehouse/web/fetch-router/routes";
import {
  createSQLSessionStore,
  type SQLQuery,
} from "@gatehouse/web/session/sql";
import { login } from "./login.ts";
import { page } from "./pages.ts";
import { registration } from "./registration.ts";
import { Users } from "./users.ts";

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** Runs a statement of SQL and returns its rows. */
  readonly query: SQLQuery;
  /** The secret key of password hashes: see \`.env.example\`. */
  readonly pepper: string | undefined;
  /** The address that browsers see, if a proxy is in front of the server. */
  readonly origin?: string | undefined;
  /** The number of proxies in front of the server. */
  readonly trustedProxies?: number;
}

const routes = route({
  home: "/",
  register: form("register"),
  login: form("login"),
  logout: post("/logout"),
});

/** Creates the application. */
export function createApp(options: AppOptions) {
  const { query, pepper, origin, trustedProxies = 0 } = options;
  const users = new Users(query, pepper);
  const store = createSQLSessionStore(query);
  const browser = createSessionAuthScheme({
    name: "browser",
    verify: (id) => users.find(id),
  });
  const router = createRouter({
    trustedProxies,
    middleware: [
      logger(),
      secureHeaders(),
      formData({ maxBytes: 65_536 }),
      crossOriginProtection({ origin }),
      session({ store, origin }),
      auth({ schemes: [browser] }),
    ],
  });

  const onUnauthenticated = redirectToLogin(routes.login.index.href());
  router.get(routes.home, requireAuth({ onUnauthenticated }), (context) => {
    const { email } = context.get(Auth);
    const content = html\`
      <p>Hello \${email}</p>
      <form method="post" action="/logout"><button>Log out</button></form>
    \`;
    return page("Home", content);
  });

  // After five wrong passwords, each further one has to wait longer.
  const throttle = createThrottle({ store });
  router.map(routes.login, login(users, throttle));
  router.map(routes.register, registration(users, throttle, store));
  router.post(routes.logout, (context) => {
    context.get(Session).destroy();
    return redirect(routes.login.index.href());
  });
  return router;
}
`,
    "login.ts": `import {
  completeAuth,
  createCredentialsAuthProvider,
  credentialsAuthResult,
  redirect,
  type RequestContext,
  safeRedirectPath,
  type Throttle,
  tooManyRequests,
} from "@gatehouse/web";
import { parseSafe } from "@gatehouse/web/data-schema";
import { Account, accountPage } from "./pages.ts";
import type { Users } from "./users.ts";

/** Creates the login form and its action. */
export function login(users: Users, throttle: Throttle) {
  const password = createCredentialsAuthProvider({
    name: "password",
    parse(context) {
      const result = parseSafe(Account, context.get(FormData));
      return result.success ? result.value : null;
    },
    verify: ({ email, password }) => users.verify(email, password),
    throttle,
    account: ({ email }) => email,
  });

  return {
    actions: {
      index: () => accountPage("Log in"),
      async action(context: RequestContext) {
        const result = await credentialsAuthResult(password, context);
        if (!result.ok) {
          return result.reason === "throttled"
            ? tooManyRequests(result.retryAfter)
            : accountPage("Log in", "Invalid email or password");
        }
        await completeAuth(context, result.user.id);
        const returnTo = context.url.searchParams.get("returnTo");
        return redirect(safeRedirectPath(returnTo));
      },
    },
  };
}
`,
    "registration.ts": `import {
  completeAuth,
  createThrottle,
  redirect,
  type RequestContext,
  type SessionStore,
  type Throttle,
  tooManyRequests,
} from "@gatehouse/web";
import { parseSafe } from "@gatehouse/web/data-schema";
import { Account, accountPage } from "./pages.ts";
import type { Users } from "./users.ts";

/** Creates the registration form and its action. */
export function registration(
  users: Users,
  loginThrottle: Throttle,
  store: SessionStore,
) {
  // Limits how many addresses a client can test, and how many it can register.
  const throttle = createThrottle({
    name: "registration",
    store,
    perAddress: { attempts: 20, delay: 60_000, maxDelay: 900_000 },
  });

  return {
    actions: {
      index: () => accountPage("Register"),
      async action(context: RequestContext) {
        const result = parseSafe(Account, context.get(FormData));
        if (!result.success) {
          return accountPage(
            "Register",
            "Enter an email address, and a password of at least 8 characters",
          );
        }
        const attempt = await throttle.attempt(context, null);
        if (!attempt.allowed) return tooManyRequests(attempt.retryAfter);
        const { email, password } = result.value;
        const user = await users.create(email, password);
        if (user === null) {
          return accountPage("Register", "This address has an account already");
        }
        await completeAuth(context, user.id);
        // Guesses from other places do not delay logins on this device.
        await loginThrottle.trustDevice(context, email);
        return redirect("/");
      },
    },
  };
}
`,
    "users.ts": `import {
  createPasswordQueue,
  hashPassword,
  type PasswordPepper,
  verifyPassword,
} from "@gatehouse/web";
import type { SQLQuery, SQLRow } from "@gatehouse/web/session/sql";

/** A user, without their password hash. */
export interface User {
  readonly id: number;
  readonly email: string;
}

/** The users in the database. */
export class Users {
  readonly #query: SQLQuery;
  readonly #peppers: readonly PasswordPepper[];
  /** Registrations wait here, so that they do not delay logins. */
  readonly #queue = createPasswordQueue({ running: 1, waiting: 16 });

  constructor(query: SQLQuery, pepper: string | undefined) {
    if (!pepper) {
      throw new Error("Cannot start: PEPPER is missing, see .env.example");
    }
    const key = Uint8Array.from(atob(pepper), (char) => char.charCodeAt(0));
    this.#query = query;
    // To replace the pepper, put the new one first and keep the old one.
    this.#peppers = [{ id: "1", key }];
  }

  /** Finds a user by id. */
  async find(id: string | number): Promise<User | null> {
    const sql = "SELECT id, email FROM users WHERE id = ?";
    const [row] = await this.#query(sql, [id]);
    return row === undefined ? null : toUser(row);
  }

  /** Returns the user with this address, if the password is correct. */
  async verify(email: string, password: string): Promise<User | null> {
    const sql = "SELECT id, email, hash FROM users WHERE email = ?";
    const [row] = await this.#query(sql, [email]);
    // Without a user, this takes as long as a wrong password, and fails.
    const hash = row === undefined ? null : String(row.hash);
    const { ok } = await verifyPassword(hash, password, {
      peppers: this.#peppers,
      saveHash: (newHash, oldHash) => this.#replaceHash(newHash, oldHash),
    });
    return ok && row !== undefined ? toUser(row) : null;
  }

  /** Adds a user. Returns \`null\` if the address has an account. */
  async create(email: string, password: string): Promise<User | null> {
    const hash = await hashPassword(password, {
      peppers: this.#peppers,
      queue: this.#queue,
    });
    const sql = \`INSERT INTO users (email, hash) VALUES (?, ?)
      ON CONFLICT DO NOTHING RETURNING id, email\`;
    const [row] = await this.#query(sql, [email, hash]);
    return row === undefined ? null : toUser(row);
  }

  /** Replaces a hash whose cost or pepper is outdated. */
  async #replaceHash(newHash: string, oldHash: string): Promise<void> {
    const sql = "UPDATE users SET hash = ? WHERE hash = ?";
    await this.#query(sql, [newHash, oldHash]);
  }
}

function toUser({ id, email }: SQLRow): User {
  return { id: Number(id), email: String(email) };
}
`,
    "pages.ts":
      `import { html, htmlResponse, type Markup } from "@gatehouse/web";
import { string } from "@gatehouse/web/data-schema";
import { email, maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import { field, object } from "@gatehouse/web/data-schema/form-data";

/** The fields of the forms. */
export const Account = object({
  email: field(string().pipe(email(), maxLength(254))),
  password: field(string().pipe(minLength(8), maxLength(1000))),
});

/** Creates the page with the form for login or registration. */
export function accountPage(
  title: "Log in" | "Register",
  problem = "",
): Response {
  const autocomplete = title === "Log in" ? "current-password" : "new-password";
  const content = html\`
    <p role="alert">\${problem}</p>
    <form method="post">
      <label>
        Email
        <input name="email" type="email" autocomplete="username" required />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          autocomplete="\${autocomplete}"
          required
        />
      </label>
      <button>\${title}</button>
    </form>
    <p><a href="/login">Log in</a> or <a href="/register">register</a></p>
  \`;
  return page(title, content, problem === "" ? 200 : 422);
}

/** Creates a page. */
export function page(title: string, content: Markup, status = 200): Response {
  const markup = html\`
    <html lang="en">
      <head>
        <meta name="viewport" content="width=device-width">
        <title>\${title}</title>
      </head>
      <body>
        <h1>\${title}</h1>
        \${content}
      </body>
    </html>
  \`;
  // After a logout, the Back button shows no pages.
  const headers = { "Cache-Control": "no-store" };
  return htmlResponse(markup, { status, headers });
}
`,
  },
  tables: `CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  hash TEXT NOT NULL
);
`,
  options: { pepper: "PEPPER", origin: "ORIGIN" },
  secrets: [{
    name: "PEPPER",
    comment: `The secret key of all password hashes. Keep a copy.
# openssl rand -base64 32 creates another one.`,
    create() {
      const bytes = crypto.getRandomValues(new Uint8Array(32));
      return btoa(String.fromCharCode(...bytes));
    },
  }],
  testImports: "",
  testSecrets: `
const secrets = { pepper: btoa("only for tests".padEnd(32)) };
`,
  tests: `
type Client = ReturnType<typeof createTestClient>;

/** Sends a form, and returns the status, the redirect and the page. */
async function send(
  { fetch }: Client,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams(fields);
  const response = await fetch(path, { method: "POST", body, headers });
  const location = response.headers.get("Location");
  return { status: response.status, location, page: await response.text() };
}

function newAccount() {
  const email = \`\${crypto.randomUUID()}@example.com\`;
  return { email, password: "correct horse" };
}

test("a user registers, logs out and logs in", async () => {
  const client = openClient();
  const account = newAccount();
  assert.equal((await send(client, "/register", account)).location, "/");
  const home = await (await client.fetch("/")).text();
  assert.match(home, new RegExp(\`Hello \${account.email}\`));

  assert.equal((await send(client, "/logout")).location, "/login");
  const { headers } = await client.fetch("/");
  assert.equal(headers.get("Location"), "/login?returnTo=%2F");

  const login = await send(client, "/login?returnTo=%2F%3Fa", account);
  assert.equal(login.location, "/?a");
});

test("a wrong password, a short one and a taken address are rejected", async () => {
  const client = openClient();
  const account = newAccount();
  const short = { ...account, password: "short" };
  assert.equal((await send(client, "/register", short)).status, 422);
  assert.equal((await send(client, "/register", account)).status, 302);
  assert.equal((await send(client, "/register", account)).status, 422);
  const wrong = { ...account, password: "wrong password" };
  assert.equal((await send(client, "/login", wrong)).status, 422);
});

test("after five wrong passwords, the next one has to wait", async () => {
  const client = openClient();
  const account = { ...newAccount(), password: "wrong password" };
  for (let guess = 1; guess <= 5; guess++) {
    assert.equal((await send(client, "/login", account)).status, 422);
  }
  assert.equal((await send(client, "/login", account)).status, 429);
});

test("a form of another site is rejected", async () => {
  const client = openClient();
  const headers = { Origin: "https://evil.example" };
  const answer = await send(client, "/register", newAccount(), headers);
  assert.equal(answer.status, 403);
});

test("pages are not cached, and load no foreign scripts", async () => {
  const { fetch } = openClient();
  const { headers } = await fetch("/login");
  assert.equal(headers.get("Cache-Control"), "no-store");
  assert.match(headers.get("Content-Security-Policy") ?? "", /default-src/);
});
`,
  note: "Addresses are not verified yet: send links before you go live.",
};
