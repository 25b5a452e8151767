import { assertEquals } from "@std/assert";

const SCRIPTS = ["end_all", "deployment", "capacity"];

Deno.test("the scripts under load run, and their bars hold in a short run", async () => {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "tests/load/main.ts", "--quick"]
      .concat("--store=memory", "--store=SQLite", SCRIPTS),
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout);
  assertEquals(code, 0, text);
  const rows = text.split("\n").filter((line) => line.startsWith("| SQLite |"));
  assertEquals(rows.length, SCRIPTS.length, text);
});
