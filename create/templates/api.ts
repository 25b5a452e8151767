import { createToken } from "../../auth/issued_tokens/api_token.ts";
import type { Template } from "./template.ts";

/** A JSON API behind access tokens. */
export const API: Template = {
  summary: "A JSON API behind access tokens",
  sources: {
    "app.ts": `import {
  Auth,
  auth,
  createRouter,
  HTTPError,
  logger,
  requireAuth,
  secureHeaders,
  validate,
  ValidJSON,
} from "@gatehouse/web";
import { object, string } from "@gatehouse/web/data-schema";
import { maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import type { Problem } from "@gatehouse/web/fetch-router";
import type { SQLQuery } from "@gatehouse/web/session/sql";
import { Notes } from "./notes.ts";
import { createTokenScheme } from "./tokens.ts";

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** Runs a statement of SQL and returns its rows. */
  readonly query: SQLQuery;
  /** The clients and their tokens: see \`.env.example\`. */
  readonly tokens: string | undefined;
  /** The number of proxies in front of the server. */
  readonly trustedProxies?: number;
}

const NewNote = object({
  text: string().pipe(minLength(1), maxLength(10_000)),
});

/** Creates the application. Every route needs a token. */
export function createApp(
  { query, tokens, trustedProxies = 0 }: AppOptions,
) {
  const notes = new Notes(query);
  const router = createRouter({
    trustedProxies,
    errorResponse: problemResponse,
    middleware: [
      logger(),
      secureHeaders(),
      auth({ schemes: [createTokenScheme(tokens)] }),
      requireAuth(),
    ],
  });

  router.get("/notes", async (context) => {
    return Response.json(await notes.list(context.get(Auth).id));
  });
  router.post("/notes", validate({ json: NewNote }), async (context) => {
    const { text } = context.get(ValidJSON);
    const note = await notes.create(context.get(Auth).id, text);
    const headers = { Location: \`/notes/\${note.id}\` };
    return Response.json(note, { status: 201, headers });
  });
  router.get("/notes/:id", async (context) => {
    const client = context.get(Auth).id;
    const note = await notes.find(client, context.params.id);
    if (note === null) throw new HTTPError(404);
    return Response.json(note);
  });
  router.delete("/notes/:id", async (context) => {
    const client = context.get(Auth).id;
    const isRemoved = await notes.remove(client, context.params.id);
    if (!isRemoved) throw new HTTPError(404);
    return new Response(null, { status: 204 });
  });
  return router;
}

/** Responds with problem details (RFC 9457), whatever the client accepts. */
function problemResponse(problem: Problem): Response {
  const headers = { "Content-Type": "application/problem+json" };
  return Response.json(problem, { status: problem.status, headers });
}
`,
    "tokens.ts": `import {
  createBearerTokenAuthScheme,
  hashToken,
  isTokenShaped,
} from "@gatehouse/web";
import { verifyToken } from "@gatehouse/web/auth";

/** The prefix of all tokens, by which scanners recognize leaked ones. */
export const TOKEN = { prefix: "api" };

/** Creates a scheme for the clients in \`API_TOKENS\`. */
export function createTokenScheme(list: string | undefined) {
  const clients = readClients(list);
  return createBearerTokenAuthScheme({
    name: "api",
    async verify(given) {
      if (!isTokenShaped(given, TOKEN)) return null;
      const hash = await hashToken(given);
      for (const { client, token } of clients) {
        if (await verifyToken(hash, token)) return { id: client };
      }
      return null;
    },
  });
}

/** Reads \`client:token\` pairs, which are separated by spaces. */
function readClients(list = "") {
  const pairs = list.split(" ").filter((pair) => pair !== "");
  if (pairs.length === 0) {
    throw new Error("Cannot start: API_TOKENS is missing, see .env.example");
  }
  return pairs.map((pair, index) => {
    const [client = "", token = ""] = pair.split(":");
    if (client === "" || !isTokenShaped(token, TOKEN)) {
      // The message omits the value, which may be a token without a client.
      throw new Error(
        \`Cannot start: pair \${index + 1} of API_TOKENS is malformed\`,
      );
    }
    return { client, token };
  });
}
`,
    "new_token.ts": `/** Prints a new token for \`API_TOKENS\`. */
import { createToken } from "@gatehouse/web";
import { TOKEN } from "./tokens.ts";

console.log(createToken(TOKEN));
`,
    "notes.ts":
      `import type { SQLQuery, SQLRow } from "@gatehouse/web/session/sql";

/** A note, as the API returns it. */
export interface Note {
  readonly id: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The notes in the database. Each belongs to the client that created it. */
export class Notes {
  readonly #query: SQLQuery;

  constructor(query: SQLQuery) {
    this.#query = query;
  }

  /** Returns the latest notes of a client, at most 100. */
  async list(client: string): Promise<Note[]> {
    const sql = \`SELECT * FROM notes WHERE client = ?
      ORDER BY created_at DESC, id LIMIT 100\`;
    return (await this.#query(sql, [client])).map(toNote);
  }

  /** Finds a note of a client. */
  async find(client: string, id: string): Promise<Note | null> {
    const sql = "SELECT * FROM notes WHERE id = ? AND client = ?";
    const [row] = await this.#query(sql, [id, client]);
    return row === undefined ? null : toNote(row);
  }

  /** Adds a note. */
  async create(client: string, text: string): Promise<Note> {
    const note = { id: crypto.randomUUID(), text, createdAt: Date.now() };
    await this.#query(
      "INSERT INTO notes (id, client, text, created_at) VALUES (?, ?, ?, ?)",
      [note.id, client, text, note.createdAt],
    );
    return note;
  }

  /** Removes a note of a client. Returns \`false\` if it does not exist. */
  async remove(client: string, id: string): Promise<boolean> {
    const sql = "DELETE FROM notes WHERE id = ? AND client = ? RETURNING id";
    return (await this.#query(sql, [id, client])).length === 1;
  }
}

function toNote({ id, text, created_at }: SQLRow): Note {
  return { id: String(id), text: String(text), createdAt: Number(created_at) };
}
`,
  },
  hasAccounts: false,
  tables: `CREATE TABLE IF NOT EXISTS notes (
  id TEXT PRIMARY KEY,
  client TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS notes_client ON notes (client, created_at);
`,
  options: { tokens: "API_TOKENS" },
  secrets: [{
    name: "API_TOKENS",
    comment: "The clients and their tokens: client:token, separated by spaces.",
    create: () => `demo:${createToken({ prefix: "api" })}`,
  }],
  testImports: `import { createToken } from "@gatehouse/web";
import { TOKEN } from "./tokens.ts";
`,
  testSecrets: `
const ada = createToken(TOKEN);
const bob = createToken(TOKEN);
const secrets = { tokens: \`ada:\${ada} bob:\${bob}\` };
`,
  tests: `
type Client = ReturnType<typeof createTestClient>;

/** Sends a request with a token, and returns its status and its JSON. */
async function send(
  { fetch }: Client,
  token: string,
  request: string,
  note?: unknown,
) {
  const [method = "GET", path = "/"] = request.split(" ");
  const headers = {
    Authorization: \`Bearer \${token}\`,
    "Content-Type": "application/json",
  };
  const body = note === undefined ? null : JSON.stringify(note);
  const response = await fetch(path, { method, headers, body });
  const text = await response.text();
  return { status: response.status, json: text && JSON.parse(text) };
}

test("a client creates, reads and removes a note", async () => {
  const client = openClient();
  const created = await send(client, ada, "POST /notes", { text: "Tea" });
  const { id, text } = created.json;
  assert.deepEqual([created.status, text], [201, "Tea"]);
  const { json } = await send(client, ada, \`GET /notes/\${id}\`);
  assert.deepEqual(json, created.json);
  const { json: list } = await send(client, ada, "GET /notes");
  assert.ok(list.some((note: { id: string }) => note.id === id));
  const removed = await send(client, ada, \`DELETE /notes/\${id}\`);
  assert.equal(removed.status, 204);
  assert.equal((await send(client, ada, \`GET /notes/\${id}\`)).status, 404);
});

test("a client cannot see or remove the notes of another", async () => {
  const client = openClient();
  const created = await send(client, ada, "POST /notes", { text: "Secret" });
  const path = \`/notes/\${created.json.id}\`;
  assert.equal((await send(client, bob, \`GET \${path}\`)).status, 404);
  assert.equal((await send(client, bob, \`DELETE \${path}\`)).status, 404);
  assert.deepEqual((await send(client, bob, "GET /notes")).json, []);
});

test("invalid input gets problem details", async () => {
  const empty = await send(openClient(), ada, "POST /notes", { text: "" });
  assert.equal(empty.status, 422);
  assert.equal(empty.json.errors[0].pointer, "#/text");
});

test("without a valid token, every request gets a 401", async () => {
  const client = openClient();
  const unknown = createToken(TOKEN);
  for (const path of ["/notes", "/notes/1", "/nowhere"]) {
    const { status, json } = await send(client, unknown, \`GET \${path}\`);
    assert.deepEqual([status, json.status], [401, 401]);
  }
});
`,
  note: "Run `new_token.ts` for the token of another client.",
};
