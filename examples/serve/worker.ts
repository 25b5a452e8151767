/** On Workers: `wrangler dev examples/serve/worker.ts`. */
import { router } from "./router.ts";

export default { fetch: router.fetch };
