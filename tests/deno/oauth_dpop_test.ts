/** Bound tokens of an authorization server with two processes and one store. */
import { assertEquals } from "@std/assert";
import { browserOf, getCode, type TokenBody } from "../oauth_server/_server.ts";
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
} from "../oauth_server/dpop/_dpop_client.ts";
import { startProcesses } from "./_oauth_processes.ts";

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

Deno.test(
  "two processes accept a proof once, give one successor to one key, and bind a code to one of two keys",
  // The connections of `fetch` stay open for a moment.
  { sanitizeOps: false, sanitizeResources: false },
  async () => {
    const folder = await Deno.makeTempDir();
    {
      await using processes = await startProcesses("sqlite", `${folder}/db`);
      const { apps } = processes;
      const app: AppAt = (index) => ({
        ...apps[index % apps.length]!,
        clock,
      });
      await useOneProof(app);
      await refreshWithOneKey(app);
      await exchangeWithTwoKeys(app);
    }
    await Deno.remove(folder, { recursive: true });
  },
);
