import { Browser, Server } from "../session/_browser.ts";
import type { SessionOptions } from "@gatehouse/web/session-middleware";
import { type Effort, onEachStore } from "./_report.ts";

const MINUTE = 60_000;
const BROWSERS = 50;
const OLD = "the secret of the version that is already running";
const NEW = "the secret of the version that is being deployed";

/**
 * Runs two versions of an application side by side, as during a deployment: they
 * have other timeouts, limits and ways to load a session. Each request goes to
 * one of them. No user may be logged out, and no change may be lost.
 */
export async function deployment(effort: Effort): Promise<boolean> {
  const visits = effort.quick ? 20 : 200;
  const head = ["requests", "logged out", "lost changes"];
  const holds = await onEachStore(head, effort, async ({ isRemote, store }) => {
    if (isRemote) return null;
    return await alternate(visits, { store }, {
      store,
      lazy: true,
      maxSessions: 5,
      timeouts: {
        idle: 20 * MINUTE,
        absolute: 600 * MINUTE,
        anonymous: 5 * MINUTE,
      },
    });
  });
  // A new secret first arrives as the second one, in all processes.
  const row = await alternate(
    visits,
    { secrets: [OLD] },
    { secrets: [OLD, NEW] },
  );
  const next = await alternate(
    visits,
    { secrets: [OLD, NEW] },
    { secrets: [NEW, OLD] },
  );
  for (const [name, { cells, broken }] of Object.entries({ row, next })) {
    console.log(
      `| cookie, step ${name === "row" ? 1 : 2} | ${cells.join(" | ")} |`,
    );
    for (const bar of broken) console.log(`  beyond: ${bar}`);
  }
  return holds && row.broken.length + next.broken.length === 0;
}

async function alternate(
  visits: number,
  before: SessionOptions,
  after: SessionOptions,
) {
  const versions = [new Server(before), new Server(after)] as const;
  let lost = 0;
  let out = 0;
  await Promise.all(Array.from({ length: BROWSERS }, async (_none, n) => {
    let browser = new Browser(versions[n % 2]!);
    await browser.visit(async (session) => {
      (await session.load()).set("userId", n);
    });
    for (let visit = 1; visit <= visits; visit++) {
      const server = versions[(n + (visit * 7 >> 2)) % 2]!;
      browser = new Browser(server, browser.cookies);
      const seen = await browser.visit(async (session) => {
        const loaded = await session.load();
        loaded.update("count", (count) => Number(count ?? 0) + 1);
        return [loaded.userId, loaded.get("count")];
      });
      if (seen[0] !== n) out++;
      else if (seen[1] !== visit) lost++;
    }
  }));
  const broken: string[] = [];
  if (out > 0) broken.push(`${out} requests had no user`);
  if (lost > 0) broken.push(`${lost} requests saw another count`);
  return { cells: [BROWSERS * visits, out, lost], broken };
}
