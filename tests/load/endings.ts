import { testSessionStore } from "@gatehouse/web/testing";
import { type Effort, onEachStore } from "./_report.ts";

const NAMES = [
  "endAll() ends 150 sessions whose ids change at the same time",
  "a logout succeeds among 400 writers",
];

/**
 * Ends sessions under load, 50 times: 150 that change their ids, and one among
 * 400 writers in four processes. None may survive and no ending may fail.
 */
export async function endings(effort: Effort): Promise<boolean> {
  const runs = effort.quick ? 1 : 50;
  const head = ["runs", "failed", "seconds"];
  return await onEachStore(head, effort, async ({ isRemote, store }) => {
    if (isRemote) return null;
    const begun = performance.now();
    const checks = testSessionStore(() => store)
      .filter(({ name }) => NAMES.some((each) => name.endsWith(each)));
    if (checks.length !== NAMES.length) throw new Error("A check is missing");
    const broken: string[] = [];
    for (let count = 0; count < runs; count++) {
      for (const { name, run } of checks) {
        try {
          await run();
        } catch (error) {
          broken.push(`run ${count + 1}, ${name}: ${error}`);
        }
      }
    }
    const seconds = Math.round((performance.now() - begun) / 1000);
    return { cells: [runs, broken.length, seconds], broken };
  });
}
