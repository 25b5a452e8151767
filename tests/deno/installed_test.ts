/** The tests find installed programs on each system. */
import { assert, assertEquals } from "@std/assert";
import {
  chromiumPaths,
  firstExisting,
  headlessPaths,
  pathsOf,
} from "./_installed.ts";

function machine(os: string, variables: Record<string, string>) {
  return { os, env: (name: string) => variables[name] };
}

Deno.test("pathsOf() splits PATH as the system does", () => {
  assertEquals(
    pathsOf("redis-server", machine("linux", { PATH: "/usr/bin::/opt/bin" })),
    ["/usr/bin/redis-server", "/opt/bin/redis-server"],
  );
  assertEquals(
    pathsOf("openssl", machine("windows", { PATH: "C:\\a;D:\\b" })),
    ["C:\\a/openssl.exe", "D:\\b/openssl.exe"],
  );
  assertEquals(pathsOf("openssl", machine("linux", {})), []);
});

const places: [os: string, Record<string, string>, path: string][] = [
  ["linux", { PATH: "/usr/bin" }, "/usr/bin/chromium"],
  ["linux", { PATH: "/snap/bin" }, "/snap/bin/chromium-browser"],
  ["linux", { PATH: "/usr/bin" }, "/usr/bin/google-chrome"],
  ["darwin", {}, "/Applications/Chromium.app/Contents/MacOS/Chromium"],
  [
    "darwin",
    { HOME: "/Users/ada" },
    "/Users/ada/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ],
  [
    "windows",
    { "ProgramFiles(x86)": "C:\\x86" },
    "C:\\x86/Microsoft/Edge/Application/msedge.exe",
  ],
  [
    "windows",
    { LocalAppData: "C:\\ada" },
    "C:\\ada/Chromium/Application/chrome.exe",
  ],
];

for (const [os, variables, path] of places) {
  Deno.test(`chromiumPaths() names ${path} on ${os}`, () => {
    const paths = chromiumPaths(machine(os, variables));
    assert(paths.includes(path), paths.join("\n"));
  });
}

Deno.test("chromiumPaths() names only the path in CHROMIUM", () => {
  const variables = { CHROMIUM: "/opt/chrome", PATH: "/usr/bin" };
  assertEquals(chromiumPaths(machine("linux", variables)), ["/opt/chrome"]);
});

Deno.test("headlessPaths() prefers the headless shell, unless CHROMIUM is set", () => {
  const variables = { PATH: "/usr/bin" };
  const [first, second] = headlessPaths(machine("linux", variables));
  assertEquals(first, "/usr/bin/chromium-headless-shell");
  assertEquals(second, "/usr/bin/chromium");
  const chosen = { ...variables, CHROMIUM: "/opt/chrome" };
  assertEquals(headlessPaths(machine("linux", chosen)), ["/opt/chrome"]);
});

Deno.test("firstExisting() skips folders and missing files", () => {
  const { dirname = "", filename = "" } = import.meta;
  assertEquals(firstExisting([`${dirname}/none`, dirname, filename]), filename);
  assertEquals(firstExisting([dirname]), null);
});
