/** The requests and statements that docs/compare.md names. */
import { assertEquals } from "@std/assert";
import { captureConsole } from "../_console.ts";
import {
  type Calls,
  countCalls,
  FLOWS,
  PRODUCTS,
} from "../deno/_invoice_calls.ts";

Deno.test("docs/compare.md has the statements and requests of both products", async () => {
  using _log = captureConsole("log", () => {});
  const columns: Calls[][] = [];
  for (const start of Object.values(PRODUCTS)) {
    columns.push(await countCalls(start));
  }
  const page = await Deno.readTextFile(
    new URL("../../docs/compare.md", import.meta.url),
  );
  const cellsOf = (line: string) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim());
  const rows = page.split("\n").filter((line) => line.startsWith("|"))
    .map(cellsOf);
  const [, ...names] = rows.find(([first]) =>
    first === "statements (requests)"
  )!;
  assertEquals(names, Object.keys(PRODUCTS));
  const written = FLOWS.map((flow) => rows.find(([first]) => first === flow));
  const expected = FLOWS.map((flow, index) => [
    flow,
    ...columns.map((flows) => {
      const { requests, statements } = flows[index]!;
      return `${statements.length} (${requests})`;
    }),
  ]);
  assertEquals(written, expected);
});
