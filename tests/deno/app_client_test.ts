import { PASSWORD, startExampleApp } from "./_example_app.ts";
import { logInToApp, walkThroughAPI } from "./_api_walk.ts";

Deno.test("createClient() calls every route of the example's API", async () => {
  await using app = await startExampleApp();
  const email = "grace@example.com";
  await app.createUser({ name: "Grace", email, role: "admin" });
  const admin = await logInToApp(app.baseURL, { email, password: PASSWORD });
  await walkThroughAPI(app.baseURL, admin);
});
