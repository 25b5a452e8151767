import { invite, memberOf, newTeam, start } from "../teams/_teams.ts";
import { assertChanges, assertOutline, assertPages } from "./_outline.ts";

const NOW = Date.UTC(2026, 10, 28, 12);

/** Starts a team with the owner Ada and the reader Bob. */
async function startTeam() {
  // The members are listed in the order of their times.
  let time = NOW;
  const app = start({ now: () => time++ });
  const [ada, bob] = [await app.login("ada"), await app.login("bob")];
  const TEAM = await newTeam(ada, "Engines");
  await app.accounts.teams.add(TEAM, bob.id, "reader");
  const ADA = (await memberOf(app, TEAM, ada)).id;
  const BOB = (await memberOf(app, TEAM, bob)).id;
  return { app, ada: ada.browser, bob: bob.browser, ids: { TEAM, ADA, BOB } };
}

/** Invites an address, and returns the id of the invitation. */
async function invited(
  { app, ada, ids }: Awaited<ReturnType<typeof startTeam>>,
  email: string,
): Promise<string> {
  const path = await invite(app, ada, ids.TEAM, { email, role: "editor" });
  return path.split("/").at(-1)!;
}

Deno.test("the page of the teams lists those of the user, and the open invitations", async () => {
  const team = await startTeam();
  const eve = (await team.app.login("eve")).browser;
  await assertOutline(
    await eve.get("/teams"),
    `
      200 Teams – Test
      # Teams
      In a team, several people share their work.
      You are not in a team.
      ## Create a team
      POST /teams
      Name of the team | name: text "" required
      [Create a team]
    `,
  );
  await assertChanges(
    await eve.get("/teams"),
    await eve.post("/teams", { name: " " }),
    `
      - 200 Teams – Test
      - Name of the team | name: text "" required
      + 422 Error: Teams – Test
      + alert:
      + Please correct this:
      + Name is required → #name
      + Name of the team | Name is required | name: text " " required aria-describedby=name-error aria-invalid=true
    `,
  );
  const none = await eve.get("/teams");
  const INVITATION = await invited(team, "eve@example.com");
  await assertChanges(
    none,
    await eve.get("/teams"),
    `
      + ## Your invitations
      + Engines | editor | View (View Engines) → /teams/invitations/INVITATION
    `,
    { INVITATION },
  );
  const before = await eve.get("/teams");
  await eve.post(`/teams/invitations/${INVITATION}`, { answer: "accept" });
  await assertChanges(
    before,
    await eve.get("/teams"),
    `
      - ## Your invitations
      - Engines | editor | View (View Engines) → /teams/invitations/INVITATION
      - You are not in a team.
      + status: You are now a member of Engines.
      + ## Your teams
      + Engines | editor | View (View Engines) → /teams/TEAM
    `,
    { ...team.ids, INVITATION },
  );
});

Deno.test("the page of a team has links for its owners only", async () => {
  const team = await startTeam();
  const { ada, bob, ids } = team;
  const path = `/teams/${ids.TEAM}`;
  await assertOutline(
    await bob.get(path),
    `
      200 Engines – Test
      Teams → /teams
      # Engines
      ## Members
      ada | ada@example.com · owner
      bob (you) | bob@example.com · reader
      Leave the team → /teams/TEAM/members/BOB/remove
    `,
    ids,
  );
  await assertOutline(
    await ada.get(path),
    `
      200 Engines – Test
      Teams → /teams
      # Engines
      ## Members
      ada (you) | ada@example.com · owner | Change (Change ada) → /teams/TEAM/members/ADA
      bob | bob@example.com · reader | Change (Change bob) → /teams/TEAM/members/BOB
      Invite a member → /teams/TEAM/invite
      Leave the team → /teams/TEAM/members/ADA/remove
    `,
    ids,
  );
  const INVITATION = await invited(team, "eve@example.com");
  await (await ada.get(path)).body?.cancel();
  const all = { ...ids, INVITATION };
  await assertChanges(
    await bob.get(path),
    await ada.get(path),
    `
      - ada | ada@example.com · owner
      - bob (you) | bob@example.com · reader
      - Leave the team → /teams/TEAM/members/BOB/remove
      + ada (you) | ada@example.com · owner | Change (Change ada) → /teams/TEAM/members/ADA
      + bob | bob@example.com · reader | Change (Change bob) → /teams/TEAM/members/BOB
      + ## Open invitations
      + eve@example.com | editor · expires 2026-12-12 | POST /teams/TEAM/invite/withdraw | invitation: hidden "INVITATION" | [Withdraw] (Withdraw the invitation for eve@example.com)
      + Invite a member → /teams/TEAM/invite
      + Leave the team → /teams/TEAM/members/ADA/remove
    `,
    all,
  );
});

Deno.test("the invitation to a team suggests the role with the fewest rights", async () => {
  const { ada, ids } = await startTeam();
  const path = `/teams/${ids.TEAM}/invite`;
  await assertOutline(
    await ada.get(path),
    `
      200 Invite a member – Test
      Teams → /teams
      # Invite a member
      We send the invitation by email. Only the owner of this…
      POST /teams/TEAM/invite
      Email | email: email "" autocapitalize=none required
      Role | role: select owner editor [reader]
      [Send the invitation]
      Cancel → /teams/TEAM
    `,
    ids,
  );
  const values = { email: "eve", role: "editor" };
  await assertChanges(
    await ada.get(path),
    await ada.post(path, values),
    `
      - 200 Invite a member – Test
      - Email | email: email "" autocapitalize=none required
      - Role | role: select owner editor [reader]
      + 422 Error: Invite a member – Test
      + alert:
      + Please correct this:
      + Invalid email address → #email
      + Email | Invalid email address | email: email "eve" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      + Role | role: select owner [editor] reader
    `,
    ids,
  );
});

Deno.test("the page of an invitation names the team and the role", async () => {
  const team = await startTeam();
  const eve = (await team.app.login("eve")).browser;
  const INVITATION = await invited(team, "eve@example.com");
  const path = "/teams/invitations/INVITATION";
  await assertPages(eve, {
    [path]: `
      200 You are invited – Test
      # You are invited
      Join the team Engines as editor?
      POST /teams/invitations/INVITATION
      answer: hidden "accept"
      [Join the team]
      POST /teams/invitations/INVITATION
      answer: hidden "decline"
      [Decline]
    `,
  }, { INVITATION });
  await assertPages(team.bob, {
    [path]: `
      404 This invitation does not work – Test
      # This invitation does not work
      It is for an address other than bob@example.com, was…
      Teams → /teams
    `,
  }, { INVITATION });
});

Deno.test("the page of a member changes the role, and another member may be removed", async () => {
  const { ada, bob, ids } = await startTeam();
  await assertPages(ada, {
    "/teams/TEAM/members/ADA": `
      200 ada – Test
      Teams → /teams
      # ada
      ada@example.com
      POST /teams/TEAM/members/ADA
      Role | role: select [owner] editor reader
      [Save]
      Cancel → /teams/TEAM
    `,
    "/teams/TEAM/members/BOB": `
      200 bob – Test
      Teams → /teams
      # bob
      bob@example.com
      POST /teams/TEAM/members/BOB
      Role | role: select owner editor [reader]
      [Save]
      Cancel → /teams/TEAM
      ## Hand over the team
      bob becomes an owner, and you are no longer one.
      POST /teams/TEAM/members/BOB
      handOver: hidden "on"
      [Hand over the team]
      ## Remove from the team
      Access to the team and its API keys ends at once.
      Remove from the team → /teams/TEAM/members/BOB/remove
    `,
    "/teams/TEAM/members/ADA/remove": `
      200 Leave Engines? – Test
      Teams → /teams
      # Leave Engines?
      Your access to the team and your API keys for it end at…
      POST /teams/TEAM/members/ADA/remove
      [Leave the team]
      Cancel → /teams/TEAM
    `,
    "/teams/TEAM/members/BOB/remove": `
      200 Remove bob? – Test
      Teams → /teams
      # Remove bob?
      Access to the team and its API keys ends at once.
      POST /teams/TEAM/members/BOB/remove
      [Remove from the team]
      Cancel → /teams/TEAM
    `,
    "/teams/TEAM/members/nobody": `
      404 This member does not exist. – Test
      Teams → /teams
      # This member does not exist.
    `,
  }, ids);
  await assertPages(bob, {
    "/teams/TEAM/members/BOB/remove": `
      200 Leave Engines? – Test
      Teams → /teams
      # Leave Engines?
      Your access to the team and your API keys for it end at…
      POST /teams/TEAM/members/BOB/remove
      [Leave the team]
      Cancel → /teams/TEAM
    `,
  }, ids);
  const path = `/teams/${ids.TEAM}/members/${ids.ADA}`;
  const last = await ada.post(path, { role: "editor" });
  await assertChanges(
    await ada.get(path),
    last,
    `
      - 200 ada – Test
      - Role | role: select [owner] editor reader
      + 409 Error: ada – Test
      + alert:
      + A team needs an owner. Make another member the owner first,…
      + Role | role: select owner [editor] reader
    `,
    ids,
  );
  const removal = await ada.post(`${path}/remove`);
  await assertChanges(
    await ada.get(`${path}/remove`),
    removal,
    `
      - 200 Leave Engines? – Test
      + 409 Error: Leave Engines? – Test
      + alert:
      + A team needs an owner. Make another member the owner first,…
    `,
    ids,
  );
});

Deno.test("the last owner of a team cannot delete the account", async () => {
  const { ada } = await startTeam();
  const before = await ada.get("/account/delete");
  await assertChanges(
    before,
    await ada.post("/account/delete"),
    `
    - 200 Delete your account – Test
    + 409 Error: Delete your account – Test
    + alert:
    + Hand over these teams first: Engines
  `,
  );
});
