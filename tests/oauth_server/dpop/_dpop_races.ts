/** Races of bound tokens at several processes of an authorization server. */
import { assertEquals } from "@std/assert";
import {
  browserOf,
  getCode,
  type TestApp,
  type TokenBody,
} from "../_server.ts";
import {
  callWith,
  type ClockedApp,
  connectWith,
  exchangeWith,
  KEY,
  OTHER,
  proofOf,
  refreshForm,
  refreshWith,
  sendForm,
} from "./_dpop_client.ts";

/** The clock of the processes, which does not move. */
const clock = { now: 1_800_000_000_000 };

const COUNT = 40;

type AppAt = (index: number) => ClockedApp;

/** Sends requests at once, to both processes in turn. */
async function atOnce(
  send: (index: number) => Promise<Response>,
): Promise<[statuses: number[], bodies: string[]]> {
  const responses = await Promise.all(
    Array.from({ length: COUNT }, (_, index) => send(index)),
  );
  const bodies = await Promise.all(responses.map((one) => one.text()));
  return [responses.map(({ status }) => status), bodies];
}

async function useOneProof(app: AppAt): Promise<void> {
  const { refresh_token } = await connectWith(app(0));
  const proof = await proofOf(app(0));
  const [statuses] = await atOnce((index) =>
    sendForm(app(index), refreshForm(refresh_token), proof)
  );
  const refused = Array.from({ length: COUNT - 1 }, () => 400);
  assertEquals(statuses.sort(), [200, ...refused]);
}

async function refreshWithOneKey(app: AppAt): Promise<void> {
  const { refresh_token } = await connectWith(app(0));
  const [statuses, bodies] = await atOnce((index) =>
    refreshWith(app(index), refresh_token)
  );
  assertEquals(new Set(statuses), new Set([200]));
  assertEquals(new Set(bodies).size, 1);
  const { access_token }: TokenBody = JSON.parse(bodies[0]!);
  for (const index of [0, 1]) {
    assertEquals((await callWith(app(index), access_token)).status, 200);
    const { status } = await callWith(app(index), access_token, OTHER);
    assertEquals(status, 401);
  }
}

async function exchangeWithTwoKeys(app: AppAt): Promise<void> {
  const code = await getCode(await browserOf(app(0)));
  const keyOf = (index: number) => index % 3 === 0 ? KEY : OTHER;
  const [statuses, bodies] = await atOnce((index) =>
    exchangeWith(app(index), code, keyOf(index))
  );
  const winner = statuses.indexOf(200);
  assertEquals(statuses.filter((status) => status === 200).length, 1);
  const { access_token }: TokenBody = JSON.parse(bodies[winner]!);
  const key = keyOf(winner);
  const other = key === KEY ? OTHER : KEY;
  assertEquals((await callWith(app(1), access_token, key)).status, 200);
  assertEquals((await callWith(app(0), access_token, other)).status, 401);
}

/**
 * Checks that the processes accept a proof once, give one successor to one key,
 * and bind a code to one of two keys.
 */
export async function walkDPoPRaces(apps: readonly TestApp[]): Promise<void> {
  const app: AppAt = (index) => ({ ...apps[index % apps.length]!, clock });
  await useOneProof(app);
  await refreshWithOneKey(app);
  await exchangeWithTwoKeys(app);
}
