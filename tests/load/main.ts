/** Runs the script that the first argument names: `deno task load end_all`. */
const [name] = Deno.args;
await import(new URL(`${name}.ts`, import.meta.url).href);
