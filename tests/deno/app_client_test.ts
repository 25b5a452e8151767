import { CHEAP, PASSWORD, startExampleApp } from "./_example_app.ts";
import { logInToApp, walkThroughAPI } from "./_api_walk.ts";
import { hashPassword } from "@gatehouse/web/auth/password";

Deno.test("createClient() calls every route of the example's API", async () => {
  await using app = await startExampleApp();
  const email = "grace@example.com";
  const passwordHash = await hashPassword(PASSWORD, CHEAP);
  await app.users.create({ name: "Grace", email, role: "admin", passwordHash });
  const admin = await logInToApp(app.baseURL, { email, password: PASSWORD });
  await walkThroughAPI(app.baseURL, admin);
});
