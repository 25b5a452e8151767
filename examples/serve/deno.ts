/** On Deno: `deno run -N examples/serve/deno.ts`. */
import { router } from "./router.ts";

Deno.serve({ port: 8000 }, router.fetch);
