/**
 * Connects a client, refreshes its tokens, and kills itself at a place of the flow:
 * before or after a call of the store, or of a response.
 *
 * Arguments: file of SQLite, and the number of the place. Prints what the client
 * receives, and the place, as lines of JSON.
 */
import type { SessionStore } from "@gatehouse/web/session";
import {
  browserOf,
  exchange,
  getCode,
  refresh,
  startServer,
} from "../oauth_server/_server.ts";
import { crashPoints } from "./_crash_points.ts";
import { openStore } from "./_session_stores.ts";

const [file, place] = Deno.args;
const { store } = await openStore("sqlite", file!);

function print(line: Readonly<Record<string, string>>): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
  Deno.stdout.writeSync(bytes);
}

const { around, pass } = crashPoints(
  place,
  (name) => print({ place: `${step}: ${name}` }),
);

let step = "consent";
const wrapped: SessionStore = {
  get: (key) => around("get", () => store.get(key)),
  put: (key, value, options) =>
    around("put", () => store.put(key, value, options)),
  delete: (key) => around("delete", () => store.delete(key)),
  byIndex: (name) => store.byIndex!(name),
};

const app = startServer({ store: wrapped });
const code = await getCode(await browserOf(app));
pass("before the response");
print({ code });
step = "exchange";
let token = await received(await exchange(app, code));
while (true) {
  step = "refresh";
  token = await received(await refresh(app, token));
}

/** Returns the refresh token of a response, as its client does. */
async function received(response: Response): Promise<string> {
  const { error, refresh_token } = await response.json();
  if (error !== undefined) throw new Error("The server refused the request");
  pass("before the response");
  print({ token: refresh_token });
  pass("after the response");
  return refresh_token;
}
