import { assert, assertEquals, assertStringIncludes } from "@std/assert";

const main = new URL("../../examples/app/main.ts", import.meta.url);

Deno.test("deno task start serves the application with nothing configured", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const first = await run(folder);
    const again = await run(folder);

    assertStringIncludes(first.page, "<h1>Notices</h1>");
    assertStringIncludes(first.login, "Log in with Demo provider");
    const [, email, password] = /admin +(\S+) +(\S+)/.exec(first.output)!;
    assertEquals(email, "admin@example.com");
    assert(password.length >= 12);
    // The accounts are printed only where the database is new.
    assertStringIncludes(again.page, "Welcome to the noticeboard");
    assertEquals(again.output.includes("admin@example.com"), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

for (const value of ["yes", "-1", "1.5", "", "999"]) {
  Deno.test(`TRUSTED_PROXIES="${value}" stops the start`, async () => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "-A", main.href],
      env: { TRUSTED_PROXIES: value, DATABASE: ":memory:", NO_COLOR: "1" },
      stdout: "null",
    }).output();
    assertEquals(success, false);
    const output = new TextDecoder().decode(stderr);
    assertStringIncludes(output, `Cannot start: TRUSTED_PROXIES "${value}"`);
  });
}

/** Serves the application on a free port until it has answered twice. */
async function run(folder: string) {
  const port = freePort();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", main.href],
    env: {
      PORT: String(port),
      DEMO_PORT: String(freePort()),
      DATABASE: `${folder}/data.sqlite`,
      NO_COLOR: "1",
    },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  while (!output.includes("is open")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`It did not start: ${output}`);
    output += value;
  }
  const get = async (path: string) =>
    await (await fetch(`http://localhost:${port}${path}`)).text();
  const page = await get("/");
  const login = await get("/login");
  child.kill("SIGTERM");
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    output += value;
  }
  await child.status;
  return { output, page, login };
}

function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}
