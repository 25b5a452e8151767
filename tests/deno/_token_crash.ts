/**
 * Refreshes the tokens of a session, and kills itself at a place of the flow:
 * before or after a call of the store, or a request to the provider.
 *
 * Arguments: file of SQLite, issuer, client secret, origin of the service, the
 * session's cookie, the clock, and the number of the place. Prints the place.
 */
import type { SessionStore } from "@gatehouse/web/session";
import { createTokenService } from "./_token_service.ts";
import { crashPoints } from "./_crash_points.ts";
import { openStore } from "./_session_stores.ts";

const [file, issuer, clientSecret, origin, Cookie, clock, place] = Deno.args;
const { store } = await openStore("sqlite", file);

const { around } = crashPoints(
  place,
  (name) => Deno.stdout.writeSync(new TextEncoder().encode(name)),
);

let isAnswered = false;
const late = () => isAnswered ? "with new tokens " : "";
const wrapped: SessionStore = {
  get: (key) => around(`${late()}get ${kindOf(key)}`, () => store.get(key)),
  put: (key, value, options) =>
    around(`${late()}put ${kindOf(key)}`, async () => {
      const isStored = await store.put(key, value, options);
      if (isStored && kindOf(key) === "tokens") isAnswered = false;
      return isStored;
    }),
  delete: (key) => around("delete", () => store.delete(key)),
  byIndex: (name) => store.byIndex!(name),
};

const service = createTokenService(wrapped, {
  issuer,
  clientSecret,
  origin,
  fetch: (url, init) =>
    around(new URL(url).pathname, async () => {
      const response = await fetch(url, init);
      const body = await response.arrayBuffer();
      if (url.endsWith("/token")) isAnswered = response.ok;
      return new Response(body, response);
    }),
});
for (let round = 0; round < 4; round++) {
  const time = Number(clock) + round * 20_001;
  await service.fetch(`${origin}/clock/${time}`);
  const response = await service.fetch(`${origin}/token`, {
    headers: { Cookie },
  });
  const { ok } = await response.json();
  if (!ok) throw new Error("The refresh failed before the crash");
}

function kindOf(key: string): string {
  return key.startsWith("tokens:") ? "tokens" : "session";
}
