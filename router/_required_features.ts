// Without them, the first route would throw, or the first HEAD request.
if (typeof URLPattern === "undefined" || ReadableStream.from === undefined) {
  throw new Error(
    "Cannot load @gatehouse/web: this runtime is too old, update to Deno 2.7, Bun 1.4.1 or Node 24.15",
  );
}
