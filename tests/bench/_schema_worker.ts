/**
 * A worker that validates: `/login/valid?library=zod&turns=1000` answers after so
 * many parses.
 */
import { type WorkloadName, WORKLOADS } from "./_schema_data.ts";
import { LIBRARIES } from "./schema_libraries/all.ts";

type Counts = Record<WorkloadName, (value: unknown) => number>;

/** The validators of each library. Workers allow eval only here, while they start. */
const COUNTS = Object.fromEntries(
  LIBRARIES.map(({ name, validators }) => {
    const counts = Object.entries(validators)
      .map(([workload, build]) => [workload, build()]);
    return [name, Object.fromEntries(counts) as Counts];
  }),
);

export default {
  fetch(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    const [, workload, kind] = pathname.split("/");
    const name = workload as WorkloadName;
    const count = COUNTS[searchParams.get("library")!]![name];
    const value = WORKLOADS[name][kind as "valid" | "invalid"];
    if ((count(value) === 0) !== (kind === "valid")) {
      return new Response("Judged wrongly", { status: 500 });
    }
    const turns = Number(searchParams.get("turns"));
    for (let turn = 1; turn < turns; turn++) count(value);
    return new Response();
  },
};
