/** The client of the example's API, served by each runtime. */
import { runtimes, startApp } from "../deno/_app_servers.ts";
import { logInToApp, walkThroughAPI } from "../deno/_api_walk.ts";
import { freePort } from "../deno/_programs.ts";

for (const runtime of runtimes()) {
  Deno.test(`createClient() calls every route of the example's API on ${runtime}`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      await using app = await startApp(runtime, {
        DATABASE: `${folder}/data.sqlite`,
        REDIS_URL: `redis://127.0.0.1:${freePort()}`,
      });
      const admin = await logInToApp(app.baseURL, app.admin);
      await walkThroughAPI(app.baseURL, admin);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
