/** The emails of accounts, with a server that never answers. */
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { type SecurityEvent, securityEvents } from "@gatehouse/web/middleware";
import { Outbox } from "../../accounts/mails/outbox.ts";
import { captureConsole } from "../_console.ts";

const mail = { to: "ada@example.com", subject: "", text: "", html: "" };

Deno.test("an email that a server never accepts fails after two timeouts", async () => {
  using output = captureConsole();
  let attempts = 0;
  const never = () => {
    attempts++;
    return new Promise<void>(() => {});
  };
  const outbox = new Outbox(never, 5);
  const events: SecurityEvent[] = [];
  const onEvent = securityEvents((event) => void events.push(event));
  const router = createRouter({ middleware: [onEvent, outbox.middleware] });
  router.get("/", (context) => {
    outbox.add(context, mail);
    return new Response();
  });
  await router.fetch("https://test.example/");
  await outbox.flush();
  await onEvent.flush();
  assertEquals(attempts, 2);
  assertEquals(events.map(({ event }) => event.reason), ["failed"]);
  assertEquals(output.printed, ["Cannot send email: TimeoutError"]);
});
