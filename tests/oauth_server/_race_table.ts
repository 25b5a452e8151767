/** Concurrent requests with one code and one refresh token, at several processes. */
import { assertEquals } from "@std/assert";
import {
  browserOf,
  callAPI,
  connect,
  exchange,
  getCode,
  ORIGIN,
  post,
  readConsent,
  refresh,
  type TestApp,
  type TokenBody,
} from "./_server.ts";

/** The results that every strong store gives, with any number of processes. */
export const RACES: Readonly<Record<string, string>> = {
  "one code, four at once": "1 × 200, 3 × 400; the tokens work",
  "one code, 100 at once": "1 × 200, 99 × 400; the tokens work",
  "one device code, 100 at once": "1 × 200, 99 × 400; the tokens work",
  "one refresh token, four at once": "4 × 200, one successor; it works",
  "one refresh token, 1,000 at once": "1000 × 200, one successor; it works",
  "one refresh token, one after the other": "4 × 200, one successor; it works",
  "generation 0 after two rotations, four at once":
    "4 × 400; the grant has ended",
  "a refresh and a revocation at once": "the grant has ended",
};

/** Walks the table, and returns its results. */
export async function walkRaces(
  apps: readonly TestApp[],
): Promise<Record<string, string>> {
  const [first] = apps;
  const app = (index: number) => apps[index % apps.length]!;
  const results: Record<string, string> = {};
  for (const [name, count] of [["four", 4], ["100", 100]] as const) {
    const code = await getCode(await browserOf(first!));
    const responses = await Promise.all(
      Array.from({ length: count }, (_, index) => exchange(app(index), code)),
    );
    results[`one code, ${name} at once`] = await codeResult(apps, responses);
  }
  results["one device code, 100 at once"] = await codeResult(
    apps,
    await pollAtOnce(apps, 100),
  );
  for (const [name, count] of [["four", 4], ["1,000", 1_000]] as const) {
    results[`one refresh token, ${name} at once`] = await refreshAtOnce(
      apps,
      count,
    );
  }
  const { refresh_token } = await connect(first!);
  const responses: Response[] = [];
  for (let index = 0; index < 4; index++) {
    responses.push(await refresh(app(index), refresh_token));
  }
  results["one refresh token, one after the other"] = await refreshResult(
    apps,
    responses,
  );
  results["generation 0 after two rotations, four at once"] = await replay(
    apps,
  );
  results["a refresh and a revocation at once"] = await revoke(apps);
  return results;
}

/** Asks for the tokens of an approved device in concurrent requests. */
async function pollAtOnce(
  apps: readonly TestApp[],
  count: number,
): Promise<Response[]> {
  const form = { client_id: "web" };
  const device = await (await post(apps[0]!, "/device/code", form)).json();
  const browser = await browserOf(apps[0]!);
  const send = (body: URLSearchParams) =>
    browser.fetch("/device", {
      method: "POST",
      headers: { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" },
      body,
    });
  const { user_code } = device;
  const page = await send(new URLSearchParams({ user_code }));
  const { handle, scopes } = await readConsent(page);
  const decision = new URLSearchParams({
    request: handle,
    decision: "approve",
  });
  for (const scope of scopes) decision.append("scope", scope);
  assertEquals((await send(decision)).status, 200);
  return await Promise.all(
    Array.from(
      { length: count },
      (_, index) =>
        post(apps[index % apps.length]!, "/token", {
          ...form,
          grant_type: "urn:ietf:params:oauth:grant-type:device_code",
          device_code: device.device_code,
        }),
    ),
  );
}

/** Refreshes one token in concurrent requests, and returns the result. */
export async function refreshAtOnce(
  apps: readonly TestApp[],
  count: number,
): Promise<string> {
  const { refresh_token } = await connect(apps[0]!);
  const responses = await Promise.all(
    Array.from(
      { length: count },
      (_, index) => refresh(apps[index % apps.length]!, refresh_token),
    ),
  );
  return await refreshResult(apps, responses);
}

async function codeResult(
  apps: readonly TestApp[],
  responses: readonly Response[],
): Promise<string> {
  const bodies: TokenBody[] = await Promise.all(
    responses.map((response) => response.json()),
  );
  const tokens = bodies.find(({ error }) => error === undefined);
  const works = tokens !== undefined && await doTokensWork(apps, tokens);
  return `${statusesOf(responses)}; the tokens ${works ? "work" : "are dead"}`;
}

async function refreshResult(
  apps: readonly TestApp[],
  responses: readonly Response[],
): Promise<string> {
  const texts = await Promise.all(responses.map((one) => one.text()));
  const successors = new Set(texts);
  const tokens = JSON.parse(texts[0]!);
  const works = await doTokensWork(apps, tokens);
  const count = successors.size === 1 ? "one" : successors.size;
  return `${statusesOf(responses)}, ${count} successor; it ${
    works ? "works" : "is dead"
  }`;
}

async function doTokensWork(
  apps: readonly TestApp[],
  { access_token, refresh_token }: TokenBody,
): Promise<boolean> {
  const statuses = await Promise.all(
    apps.map((app) => callAPI(app, access_token)),
  );
  const response = await refresh(apps.at(-1)!, refresh_token);
  await response.body?.cancel();
  return [...statuses, response.status].every((status) => status === 200);
}

async function replay(apps: readonly TestApp[]): Promise<string> {
  const { refresh_token } = await connect(apps[0]!);
  const second: TokenBody = await (await refresh(apps[0]!, refresh_token))
    .json();
  const third: TokenBody = await (await refresh(
    apps.at(-1)!,
    second.refresh_token,
  )).json();
  const responses = await Promise.all(
    Array.from(
      { length: 4 },
      (_, index) => refresh(apps[index % apps.length]!, refresh_token),
    ),
  );
  await Promise.all(responses.map((one) => one.body?.cancel()));
  return `${statusesOf(responses)}; ${await stateOf(apps, third)}`;
}

async function revoke(apps: readonly TestApp[]): Promise<string> {
  const states = new Set<string>();
  for (let round = 0; round < 20; round++) {
    const tokens = await connect(apps[0]!);
    const form = { token: tokens.refresh_token, client_id: "web" };
    const [response] = await Promise.all([
      refresh(apps[0]!, tokens.refresh_token),
      apps.at(-1)!.router.fetch(
        new Request("https://test.example/revoke", {
          method: "POST",
          body: new URLSearchParams(form),
        }),
      ),
    ]);
    const next: TokenBody = await response.json();
    states.add(await stateOf(apps, next.error === undefined ? next : tokens));
  }
  return [...states].join(", ");
}

async function stateOf(
  apps: readonly TestApp[],
  { access_token, refresh_token }: TokenBody,
): Promise<string> {
  const status = await callAPI(apps[0]!, access_token);
  const response = await refresh(apps[0]!, refresh_token);
  await response.body?.cancel();
  return status === 401 && response.status === 400
    ? "the grant has ended"
    : "the grant lives";
}

function statusesOf(responses: readonly Response[]): string {
  const groups = Map.groupBy(responses, ({ status }) => status);
  return [...groups].sort(([a], [b]) => a - b)
    .map(([status, { length }]) => `${length} × ${status}`).join(", ");
}
