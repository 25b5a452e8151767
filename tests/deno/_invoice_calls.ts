/**
 * Counts the requests and the SQL statements of the same flows in the example
 * "Invoices" and in a product of Hono and better-auth, both with `node:sqlite`.
 *
 * `deno run -A tests/deno/_invoice_calls.ts` prints the statements.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { passkey } from "npm:@better-auth/passkey@1.7.6";
import { betterAuth, type BetterAuthOptions } from "npm:better-auth@1.7.25";
import { getMigrations } from "npm:better-auth@1.7.25/db/migration";
import { admin, organization } from "npm:better-auth@1.7.25/plugins";
import { Hono } from "npm:hono@4.13.19";
import { assert, assertEquals } from "@std/assert";
import { createTestClient, type TestTarget } from "@gatehouse/web/testing";
import { createApp } from "../../examples/invoices/app.ts";

/** The flows, in their order. Each begins where the previous one ended. */
export const FLOWS = [
  "registration with a verified address",
  "login with a password",
  "list of invoices, as a member",
  "the same list again",
] as const;

/** The requests and the statements of a flow. */
export interface Calls {
  readonly requests: number;
  readonly statements: readonly string[];
}

const ORIGIN = "https://test.example";
const PASSWORD = "correct horse battery";
const SECRET = "q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0";

/** A database that records its statements. */
class RecordedDatabase extends DatabaseSync {
  readonly statements: string[] = [];

  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    for (const name of ["all", "get", "run", "iterate"] as const) {
      const run = statement[name].bind(statement) as () => never;
      statement[name] = (...args: never[]) => {
        this.statements.push(sql);
        return Reflect.apply(run, undefined, args);
      };
    }
    return statement;
  }
}

/** A product: its server, and the parts of it that differ in the flows. */
interface Product {
  readonly db: RecordedDatabase;
  readonly fetch: TestTarget["fetch"];
  /** Registers a user by API, and verifies the address. */
  readonly register: (client: Client, name: string) => Promise<void>;
  readonly logIn: (client: Client, name: string) => Promise<void>;
  /** Creates a team with an invoice, and returns the path of its list. */
  readonly createTeam: (owner: string, reader: string) => Promise<string>;
}

/** A program that calls the product, and keeps its cookies. */
interface Client {
  readonly send: (path: string, body?: object) => Promise<Response>;
  readonly count: () => number;
}

function clientOf({ fetch }: Pick<Product, "fetch">): Client {
  const client = createTestClient({ fetch }, { remoteAddress: "192.0.2.1" });
  let requests = 0;
  return {
    count: () => requests,
    async send(path, body) {
      requests++;
      const response = await client.fetch(path, {
        ...body !== undefined &&
          { method: "POST", body: JSON.stringify(body) },
        headers: {
          Accept: "application/json",
          ...body !== undefined && { "Content-Type": "application/json" },
        },
        redirect: "manual",
      });
      assert(response.status < 400, `${path}: ${response.status}`);
      return response;
    },
  };
}

/** Counts the calls of each flow. */
export async function countCalls(
  start: () => Promise<Product>,
): Promise<Calls[]> {
  const product = await start();
  const { db } = product;
  await product.register(clientOf(product), "ada");
  const counted: Calls[] = [];
  const count = async (client: Client, flow: () => Promise<unknown>) => {
    db.statements.length = 0;
    const before = client.count();
    await flow();
    const statements = [...db.statements];
    counted.push({ requests: client.count() - before, statements });
  };
  const first = clientOf(product);
  await count(first, () => product.register(first, "bob"));
  const path = await product.createTeam("ada", "bob");
  const bob = clientOf(product);
  await count(bob, () => product.logIn(bob, "bob"));
  const list = async () => {
    const invoices = await (await bob.send(path)).json();
    assertEquals(invoices.length, 1);
  };
  await count(bob, list);
  await count(bob, list);
  return counted;
}

/** Starts the example. */
async function startGatehouse(): Promise<Product> {
  const db = new RecordedDatabase(":memory:");
  const mails: string[] = [];
  const { accounts, router } = await createApp(db, {
    origin: ORIGIN,
    secrets: [SECRET],
    sendMail: ({ text }) => void mails.push(text),
  });
  const emailOf = (name: string) => `${name}@example.com`;
  return {
    db,
    fetch: router.fetch,
    async register(client, name) {
      const email = emailOf(name);
      await client.send("/register", { name, email, password: PASSWORD });
      await accounts.flush();
      const [code] = /^\d{6}$/m.exec(mails.at(-1)!)!;
      await client.send("/register/code", { code });
    },
    async logIn(client, name) {
      const email = emailOf(name);
      await client.send("/login", { email, password: PASSWORD });
    },
    async createTeam(owner, reader) {
      const [ada, bob] = await Promise.all(
        [owner, reader].map(async (name) =>
          (await accounts.users.findByEmail(emailOf(name)))!.id
        ),
      );
      const { teamId } = (await accounts.teams.create("Looms", ada!))!;
      await accounts.teams.add(teamId, bob!, "reader");
      db.prepare(
        "INSERT INTO invoices (id, team_id, customer, cents, due) VALUES ('i', ?, 'Engines', 1250, '2026-12-31')",
      ).run(teamId);
      return `/api/teams/${teamId}/invoices`;
    },
  };
}

/** Starts a product of Hono and better-auth. */
async function startHono(
  session: NonNullable<BetterAuthOptions["session"]> = {},
): Promise<Product> {
  const db = new RecordedDatabase(":memory:");
  const links: string[] = [];
  const options = {
    appName: "Invoices",
    baseURL: ORIGIN,
    database: db,
    secret: SECRET,
    session,
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true, requireEmailVerification: true },
    emailVerification: {
      sendOnSignUp: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: ({ url }: { url: string }) => {
        links.push(url);
        return Promise.resolve();
      },
    },
    plugins: [organization(), admin(), passkey()],
  };
  await (await getMigrations(options)).runMigrations();
  db.exec(
    "CREATE TABLE invoices (id TEXT PRIMARY KEY, team_id TEXT NOT NULL, customer TEXT NOT NULL, cents INTEGER NOT NULL, due TEXT NOT NULL)",
  );
  const auth = betterAuth(options);
  const app = new Hono();
  app.on(["GET", "POST"], "/api/auth/*", ({ req }) => auth.handler(req.raw));
  app.get("/api/teams/:team/invoices", async (context) => {
    const { headers } = context.req.raw;
    const login = await auth.api.getSession({ headers });
    if (login === null) return context.json({}, 401);
    const team = context.req.param("team");
    const member = db.prepare(
      "SELECT role FROM member WHERE organizationId = ? AND userId = ?",
    ).get(team, login.user.id);
    if (member === undefined) return context.json({}, 404);
    return context.json(
      db.prepare(
        "SELECT id, customer, cents, due FROM invoices WHERE team_id = ? ORDER BY due DESC, id LIMIT 100",
      ).all(team),
    );
  });
  const emailOf = (name: string) => `${name}@example.com`;
  return {
    db,
    // better-auth counts attempts in memory, without a statement.
    fetch: async (request) => await app.fetch(request),
    async register(client, name) {
      const email = emailOf(name);
      const values = { name, email, password: PASSWORD };
      await client.send("/api/auth/sign-up/email", values);
      await client.send(links.at(-1)!.slice(ORIGIN.length));
    },
    async logIn(client, name) {
      const email = emailOf(name);
      await client.send("/api/auth/sign-in/email", {
        email,
        password: PASSWORD,
      });
    },
    async createTeam(owner, reader) {
      const idOf = (name: string) =>
        String(
          db.prepare("SELECT id FROM user WHERE email = ?").get(emailOf(name))!
            .id,
        );
      const created = await auth.api.createOrganization({
        body: { name: "Looms", slug: "looms", userId: idOf(owner) },
      });
      const organizationId = created!.id;
      await auth.api.addMember({
        body: { organizationId, userId: idOf(reader), role: "member" },
      });
      db.prepare(
        "INSERT INTO invoices VALUES ('i', ?, 'Engines', 1250, '2026-12-31')",
      ).run(organizationId);
      return `/api/teams/${organizationId}/invoices`;
    },
  };
}

/** The products by their names in docs/compare.md. */
export const PRODUCTS: Readonly<Record<string, () => Promise<Product>>> = {
  "Gatehouse": startGatehouse,
  "Hono with better-auth": () => startHono(),
  "with `cookieCache`": () => startHono({ cookieCache: { enabled: true } }),
};

if (import.meta.main) {
  for (const [name, start] of Object.entries(PRODUCTS)) {
    for (const [index, calls] of (await countCalls(start)).entries()) {
      const { requests, statements } = calls;
      console.log(
        `\n${name}, ${
          FLOWS[index]
        }: ${requests} requests, ${statements.length} statements`,
      );
      for (const sql of statements) {
        console.log(`  ${sql.replaceAll(/\s+/g, " ").slice(0, 110)}`);
      }
    }
  }
}
