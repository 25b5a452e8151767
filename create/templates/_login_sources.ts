import { USERS } from "./_users.ts";

/** The source files of the template "login", by path. */
export const LOGIN_SOURCES = {
  "app.ts": `import {
  Auth,
  auth,
  createRouter,
  createSessionAuthScheme,
  createThrottle,
  crossOriginProtection,
  formData,
  logger,
  redirect,
  redirectToLogin,
  requireAuth,
  secureHeaders,
  Session,
  session,
} from "@gatehouse/web";
import { html } from "@gatehouse/web/content";
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
  tooManyRequests,
} from "@gatehouse/web";
import type { Throttle } from "@gatehouse/web/auth";
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
            ? tooManyRequests(context, result.retryAfter)
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
  tooManyRequests,
} from "@gatehouse/web";
import type { Throttle } from "@gatehouse/web/auth";
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
        if (!attempt.allowed) {
          return tooManyRequests(context, attempt.retryAfter);
        }
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
  "users.ts": USERS,
  "pages.ts":
    `import { html, htmlResponse, type Markup } from "@gatehouse/web/content";
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
};
