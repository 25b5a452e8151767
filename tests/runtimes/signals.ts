/** Acts when this process is told to end. */
export function onEnd(act: (signal: "SIGINT" | "SIGTERM") => unknown): void {
  // Windows has no SIGTERM.
  const isWindows = Deno.build.os === "windows";
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    if (isWindows && signal === "SIGTERM") continue;
    Deno.addSignalListener(signal, () => void act(signal));
  }
}
