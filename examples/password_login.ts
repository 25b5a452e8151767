/**
 * Registration, login and logout with email address and password, in one file.
 * Users live in memory: put a table in the place of the map.
 *
 * Run it with `deno task example:password-login`, then open
 * http://localhost:8000.
 */
import {
  completeAuth,
  createCredentialsAuthProvider,
  createThrottle,
  credentialsAuthResult,
  tooManyRequests,
} from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  createSessionAuthScheme,
  redirectToLogin,
  requireAuth,
} from "@gatehouse/web/auth-middleware";
import {
  createPasswordQueue,
  hashPassword,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { parseSafe, string } from "@gatehouse/web/data-schema";
import { email, maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import { field, object } from "@gatehouse/web/data-schema/form-data";
import {
  createRouter,
  redirect,
  safeRedirectPath,
} from "@gatehouse/web/fetch-router";
import { form, post, route } from "@gatehouse/web/fetch-router/routes";
import { logger } from "@gatehouse/web/logger-middleware";
import {
  crossOriginProtection,
  formData,
  secureHeaders,
} from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";

interface User {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
}

const users = new Map<string, User>();

const Credentials = object({
  // Two spellings of an address are one account, so the case is ignored.
  email: field(
    string().transform((text) => text.toLowerCase()).pipe(email()),
  ),
  password: field(string().pipe(minLength(8), maxLength(1000))),
});

const routes = route({
  home: "/",
  register: form("register"),
  login: form("login"),
  logout: post("/logout"),
});

const password = createCredentialsAuthProvider({
  name: "password",
  parse(context) {
    const result = parseSafe(Credentials, context.get(FormData));
    return result.success ? result.value : null;
  },
  async verify({ email, password }) {
    const user = findByEmail(email);
    // An unknown user takes as long as a wrong password.
    const { ok } = await verifyPassword(user?.passwordHash, password);
    return ok && user ? user : null;
  },
  // After five wrong guesses, each further one has to wait longer.
  throttle: createThrottle(),
  account: ({ email }) => email,
});

// Registrations have a limit by address and their own queue, so that a flood of
// them does not make logins wait.
const registrations = createThrottle({
  name: "registration",
  perAddress: { attempts: 20, delay: 60_000, maxDelay: 900_000 },
});
const registrationQueue = createPasswordQueue({ running: 1, waiting: 16 });

const browser = createSessionAuthScheme({
  name: "browser",
  verify: (id) => users.get(String(id)) ?? null,
});

export const router = createRouter({
  middleware: [
    logger(),
    secureHeaders(),
    formData(),
    crossOriginProtection(),
    session(),
    auth({ schemes: [browser] }),
  ],
});

const requireLogin = requireAuth({
  onUnauthenticated: redirectToLogin(routes.login.index.href()),
});

router.get(routes.home, { middleware: [requireLogin] }, (context) => {
  return page(`
    <p>Hello ${escape(context.get(Auth).email)}</p>
    <form method="post" action="${routes.logout.href()}">
      <button>Log out</button>
    </form>`);
});

router.map(routes.register, {
  actions: {
    index: () => credentialsPage("Register"),
    async action(context) {
      const result = parseSafe(Credentials, context.get(FormData));
      if (!result.success) {
        return credentialsPage(
          "Register",
          "Enter an email address, and a password of at least 8 characters",
        );
      }
      const { email, password } = result.value;
      const attempt = await registrations.attempt(context, null);
      if (!attempt.allowed) return tooManyRequests(context, attempt.retryAfter);
      const queue = registrationQueue;
      const passwordHash = await hashPassword(password, { queue });
      // After the wait: another request may have taken the address meanwhile.
      if (findByEmail(email)) {
        return credentialsPage("Register", "The address has an account");
      }
      const user = { id: crypto.randomUUID(), email, passwordHash };
      users.set(user.id, user);
      await completeAuth(context, user.id);
      return redirect(routes.home.href());
    },
  },
});

router.map(routes.login, {
  actions: {
    index: () => credentialsPage("Log in"),
    async action(context) {
      const result = await credentialsAuthResult(password, context);
      if (!result.ok) {
        return result.reason === "throttled"
          ? tooManyRequests(context, result.retryAfter)
          : credentialsPage("Log in", "Invalid email or password");
      }
      await completeAuth(context, result.user.id);
      const returnTo = context.url.searchParams.get("returnTo");
      return redirect(safeRedirectPath(returnTo));
    },
  },
});

router.post(routes.logout, (context) => {
  context.get(Session).destroy();
  return redirect(routes.login.index.href());
});

function findByEmail(email: string): User | undefined {
  return users.values().find((user) => user.email === email);
}

function credentialsPage(title: string, problem = ""): Response {
  const content = `
    <h1>${title}</h1>
    <p role="alert">${problem}</p>
    <form method="post">
      <label>Email <input name="email" type="email" required></label>
      <label>Password <input name="password" type="password" required></label>
      <button>${title}</button>
    </form>
    <p><a href="/register">Register</a> or <a href="/login">log in</a></p>`;
  return page(content, problem === "" ? 200 : 422);
}

function page(content: string, status = 200): Response {
  const html = `<!doctype html>
    <html lang="en"><title>Password login</title>${content}`;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    // Otherwise the Back button shows a page again after the logout.
    "Cache-Control": "no-store",
  };
  return new Response(html, { status, headers });
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

if (import.meta.main) {
  Deno.serve({ hostname: "127.0.0.1", port: 8000 }, router.fetch);
}
