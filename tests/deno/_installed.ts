/** Finds programs that are installed, on Linux, macOS and Windows. */

/** The facts that decide where a program is. */
export interface Machine {
  readonly os: string;
  /** Reads an environment variable. */
  readonly env: (name: string) => string | undefined;
}

const MACHINE: Machine = {
  os: Deno.build.os,
  env: (name) => Deno.env.get(name),
};

/** Prints a line that `deno task ok` repeats at its end. */
export function skip(tests: string, reason: string): void {
  console.log(`skipped: ${tests}, because ${reason}`);
}

/** Returns the first path that exists, or `null`. */
export function firstExisting(paths: Iterable<string>): string | null {
  for (const path of paths) {
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch {
      // It is not there.
    }
  }
  return null;
}

/** Returns the path that a program has in each folder of `PATH`. */
export function pathsOf(
  name: string,
  { os, env }: Machine = MACHINE,
): string[] {
  const isWindows = os === "windows";
  const file = isWindows ? `${name}.exe` : name;
  return (env("PATH") ?? "").split(isWindows ? ";" : ":")
    .filter((folder) => folder !== "").map((folder) => `${folder}/${file}`);
}

/**
 * Returns the paths where Chromium may be: that in the variable `CHROMIUM`, or
 * those of Chromium, Chrome and Edge.
 */
export function chromiumPaths(machine: Machine = MACHINE): string[] {
  const { os, env } = machine;
  const chosen = env("CHROMIUM");
  if (chosen) return [chosen];
  const named = ["chromium", "chromium-browser", "google-chrome", "chrome"]
    .flatMap((name) => pathsOf(name, machine));
  if (os === "darwin") return [...named, ...applications(env("HOME") ?? "")];
  if (os !== "windows") return named;
  const folders = ["ProgramFiles", "ProgramFiles(x86)", "LocalAppData"]
    .flatMap((name) => env(name) ?? []);
  return [...named, ...folders.flatMap(windowsPrograms)];
}

/**
 * Returns the paths where a browser for most tests may be. The headless shell of
 * Chromium has the same engine without windows, and needs half of the time.
 */
export function headlessPaths(machine: Machine = MACHINE): string[] {
  const isChosen = machine.env("CHROMIUM") !== undefined;
  const shells = isChosen ? [] : pathsOf("chromium-headless-shell", machine);
  return [...shells, ...chromiumPaths(machine)];
}

function applications(home: string): string[] {
  return ["", home].flatMap((folder) =>
    ["Chromium", "Google Chrome", "Microsoft Edge"].map((name) =>
      `${folder}/Applications/${name}.app/Contents/MacOS/${name}`
    )
  );
}

function windowsPrograms(folder: string): string[] {
  return [
    `${folder}/Chromium/Application/chrome.exe`,
    `${folder}/Google/Chrome/Application/chrome.exe`,
    `${folder}/Microsoft/Edge/Application/msedge.exe`,
  ];
}
