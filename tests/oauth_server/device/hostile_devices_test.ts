/** Device codes and their page in the hands of attackers (RFC 8628, section 5). */
import { assertEquals } from "@std/assert";
import { hashToken } from "@gatehouse/web/auth";
import {
  deviceGrant,
  type RegisteredClient,
  registrationEndpoint,
} from "@gatehouse/web/oauth-server";
import type { TestClient } from "@gatehouse/web/testing";
import {
  browserOf,
  callAPI,
  CALLBACK,
  exchange,
  getCode,
  ORIGIN,
  post,
  readConsent,
  refresh,
  type ServerSettings,
  startServer,
  type TestServer,
} from "../_server.ts";
import { both, outcomeOf, testAttacks } from "../_attacks.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const INVALID = "400 invalid_grant";
const TV: RegisteredClient = { id: "tv", name: "TV", grants: ["device"] };
const WEB: RegisteredClient = {
  id: "web",
  name: "Web",
  redirectUris: [CALLBACK],
};

function startDevices(settings: ServerSettings = {}): TestServer {
  return startServer({
    device: deviceGrant(),
    clients: [TV, WEB],
    registration: registrationEndpoint(),
    ...settings,
  });
}

interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
}

async function start(app: TestServer): Promise<DeviceCodes> {
  return await (await post(app, "/device/code", { client_id: "tv" })).json();
}

function poll(
  app: TestServer,
  device_code: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const all = { grant_type: DEVICE_CODE, client_id: "tv", device_code };
  return post(app, "/token", { ...all, ...form });
}

/** Sends the code that a user types. */
function type(browser: TestClient, user_code: string): Promise<Response> {
  const body = new URLSearchParams({ user_code });
  return browser.fetch("/device", { method: "POST", body });
}

/** Opens the page of a code, and returns a function that sends its form. */
async function open(browser: TestClient, { user_code }: DeviceCodes) {
  const page = await type(browser, user_code);
  const { handle, scopes } = await readConsent(page);
  return (...decisions: readonly string[]) => {
    const body = new URLSearchParams({ request: handle });
    for (const scope of scopes) body.append("scope", scope);
    for (const decision of decisions) body.append("decision", decision);
    return browser.fetch("/device", { method: "POST", body });
  };
}

testAttacks("a device code", [
  [
    "does not count as a code",
    INVALID,
    async (app) =>
      await outcomeOf(exchange(app, (await start(app)).device_code)),
  ],
  [
    "does not count as a refresh token",
    INVALID,
    async (app) =>
      await outcomeOf(refresh(app, (await start(app)).device_code)),
  ],
  [
    "does not count as an access token",
    "401",
    async (app) => String(await callAPI(app, (await start(app)).device_code)),
  ],
  ["is not the code of a browser", INVALID, async (app) => {
    const code = await getCode(await browserOf(app));
    return await outcomeOf(poll(app, code, { client_id: "web" }));
  }],
  [
    "is not the code that a user types",
    INVALID,
    async (app) => await outcomeOf(poll(app, (await start(app)).user_code)),
  ],
  [
    "gives nothing before its user decides",
    "400 authorization_pending",
    async (app) => await outcomeOf(poll(app, (await start(app)).device_code)),
  ],
  ["gives nothing for another resource", "400 invalid_target", async (app) => {
    const resource = `${ORIGIN}/files`;
    const { device_code } = await start(app);
    return await outcomeOf(poll(app, device_code, { resource }));
  }],
  ["with both decisions is refused", "400 access_denied", async (app) => {
    const codes = await start(app);
    const send = await open(await browserOf(app), codes);
    await send("approve", "deny");
    return await outcomeOf(poll(app, codes.device_code));
  }],
  [
    "is not approved by another user afterwards",
    "200, then 400",
    async (app) => {
      const codes = await start(app);
      const ada = await open(await browserOf(app), codes);
      const eve = await open(await browserOf(app, "2"), codes);
      return await both(
        outcomeOf(ada("approve")),
        () => outcomeOf(eve("approve")),
      );
    },
  ],
  ["gives access to the first user who decides", "Ada", async (app) => {
    const codes = await start(app);
    const eve = await open(await browserOf(app, "2"), codes);
    const ada = await open(await browserOf(app), codes);
    await ada("approve");
    await eve("approve");
    const { access_token } = await (await poll(app, codes.device_code)).json();
    const headers = { Authorization: `Bearer ${access_token}` };
    const request = new Request(`${ORIGIN}/api`, { headers });
    return await (await app.router.fetch(request)).text();
  }],
  [
    "is not found again after a refusal",
    "400, then 400 access_denied",
    async (app) => {
      const codes = await start(app);
      const browser = await browserOf(app);
      await (await open(browser, codes))("deny");
      return await both(
        outcomeOf(type(browser, codes.user_code)),
        () => outcomeOf(poll(app, codes.device_code)),
      );
    },
  ],
  ["ends with the access of its user", INVALID, async (app) => {
    const codes = await start(app);
    await (await open(await browserOf(app), codes))("approve");
    app.users.delete("1");
    return await outcomeOf(poll(app, codes.device_code));
  }],
], startDevices);

Deno.test("a client that authenticates gets a device code only with its secret", async () => {
  const secretHashes = [await hashToken("s3cret")];
  const client = { ...TV, authentication: { secretHashes } };
  const app = startDevices({ clients: [client] });
  const form = { client_id: "tv" };
  const response = post(app, "/device/code", form);
  assertEquals(await outcomeOf(response), "401 invalid_client");
});

Deno.test("a client that has registered itself gets no device code", async () => {
  const app = startDevices();
  const registered = await app.router.fetch(
    new Request(`${ORIGIN}/oauth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        redirect_uris: [CALLBACK],
        grant_types: ["authorization_code", DEVICE_CODE],
      }),
    }),
  );
  const { client_id } = await registered.json();
  assertEquals(registered.status, 201);
  const response = post(app, "/device/code", { client_id });
  assertEquals(await outcomeOf(response), "400 unauthorized_client");
});

Deno.test("a device of a client that may no longer use devices is not found", async () => {
  let client = TV;
  const app = startDevices({ clients: (id) => id === "tv" ? client : null });
  const codes = await start(app);
  const browser = await browserOf(app);
  const send = await open(browser, codes);
  client = { ...TV, grants: ["code"], redirectUris: [CALLBACK] };
  assertEquals(await outcomeOf(send("approve")), "400");
  const page = type(browser, codes.user_code);
  assertEquals(await outcomeOf(page), "400");
});
