/**
 * A worker that validates: `/login/valid?library=zod&turns=1000` answers after so
 * many parses.
 */
import { type WorkloadName, WORKLOADS } from "./_schema_data.ts";
import { LIBRARIES } from "./schema_libraries/all.ts";

export default {
  fetch(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    const [, workload, kind] = pathname.split("/");
    const name = workload as WorkloadName;
    const library = LIBRARIES.find((library) =>
      library.name === searchParams.get("library")
    )!;
    const count = countOf(library.name, name, library.validators[name]);
    const value = WORKLOADS[name][kind as "valid" | "invalid"];
    if ((count(value) === 0) !== (kind === "valid")) {
      return new Response("Judged wrongly", { status: 500 });
    }
    const turns = Number(searchParams.get("turns"));
    for (let turn = 1; turn < turns; turn++) count(value);
    return new Response();
  },
};

const counts = new Map<string, (value: unknown) => number>();

function countOf(
  library: string,
  workload: WorkloadName,
  build: () => (value: unknown) => number,
): (value: unknown) => number {
  return counts.getOrInsertComputed(`${library} ${workload}`, build);
}
