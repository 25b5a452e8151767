/**
 * Connects a client and refreshes its tokens, and kills itself before or after a call
 * of the store.
 *
 * Arguments: file of SQLite, and the number of the place. Prints each code and each
 * response of the token endpoint, as its client receives them, and then the place.
 */
import type { SessionStore } from "@gatehouse/web/session";
import {
  browserOf,
  exchange,
  getCode,
  refresh,
  startServer,
} from "../oauth_server/_server.ts";
import { openStore } from "./_session_stores.ts";

const [file = "", place] = Deno.args;
const { store } = await openStore("sqlite", file);
let passed = 0;

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function pass(name: string): void {
  if (++passed !== Number(place)) return;
  print(name);
  Deno.kill(Deno.pid, "SIGKILL");
  // The signal arrives at once, but not within this statement.
  while (true);
}

async function around<Value>(
  name: string,
  call: () => Value | Promise<Value>,
): Promise<Value> {
  pass(`before ${name} ${passed}`);
  const value = await call();
  pass(`after ${name} ${passed}`);
  return value;
}

const wrapped: SessionStore = {
  get: (key) => around("get", () => store.get(key)),
  put: (...args) => around("put", () => store.put(...args)),
  delete: (key) => around("delete", () => store.delete(key)),
  byIndex: (name) => around("byIndex", () => store.byIndex!(name)),
};
const app = startServer({ store: wrapped });
const code = await getCode(await browserOf(app));
print(`code ${code}`);
let text = await (await exchange(app, code)).text();
print(`tokens ${text}`);
for (let round = 0; round < 12; round++) {
  const { refresh_token } = JSON.parse(text);
  text = await (await refresh(app, refresh_token)).text();
  print(`tokens ${text}`);
}
