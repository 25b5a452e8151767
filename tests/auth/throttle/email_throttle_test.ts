import { createEmailThrottle, type Throttle } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { assert, assertEquals } from "@std/assert";
import { ADA, createEmailApp } from "../_email_app.ts";
import { addresses, DAY, HOUR, openLatest } from "../email_login/_lockout.ts";

Deno.test("a proof of the mailbox clears the count of emails", async () => {
  const app = createEmailApp();
  const address = addresses(198);
  for (let n = 0; n < 5; n++) await app.browser(address()).ask();
  const browser = app.browser("192.0.2.7");
  await browser.ask();
  assertEquals(app.outbox.length, 5);
  assert(await openLatest(app, browser, 0));
  const other = app.browser("192.0.2.8");
  await other.ask();
  assertEquals(app.outbox.length, 6);
});

Deno.test("a mailbox gets at most 11 emails an hour and 103 a day, from any number of addresses", async () => {
  let time = 0;
  const now = () => time;
  const throttle = createEmailThrottle({ now });
  const address = addresses(198);
  const sent: number[] = [];
  for (; time < 2 * DAY; time += 30_000) {
    if (await isAllowed(throttle, address())) sent.push(time);
  }
  const within = (span: number) =>
    Math.max(
      ...sent.map((from) =>
        sent.filter((at) => at >= from && at < from + span).length
      ),
    );
  assertEquals(within(HOUR), 11);
  assertEquals(within(DAY), 103);
});

Deno.test("emails of more than a day ago delay no email", async () => {
  let time = 0;
  const now = () => time;
  const throttle = createEmailThrottle({ now });
  const address = addresses(198);
  const sendFive = async () => {
    for (let n = 0; n < 5; n++) {
      assert(await isAllowed(throttle, address()));
    }
    assertEquals(await isAllowed(throttle, address()), false);
  };
  await sendFive();
  time += 1.1 * DAY;
  await sendFive();
});

async function isAllowed(throttle: Throttle, remoteAddress: string) {
  const request = new Request("https://test.example/");
  const context = new RequestContext(request, { remoteAddress });
  return (await throttle.attempt(context, ADA)).allowed;
}
