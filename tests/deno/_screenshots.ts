/**
 * Takes the pictures of the example application that the README shows, for
 * `deno task screenshots`. They go to `docs/images/`, or to the folder that is
 * named.
 */
import type { Browser } from "npm:playwright-core@1.56.1";
import { launch } from "./_chromium.ts";
import {
  type ExampleApp,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

/** A picture of a page. */
interface Picture {
  readonly file: string;
  readonly path: string;
  readonly scheme: "light" | "dark";
  /** The browser that takes the picture. */
  readonly visitor?: Visitor;
  /** `false` for a picture of the beginning of the page. */
  readonly isWhole?: boolean;
}

/** The pictures look the same wherever Debian's fonts-liberation is. */
const FONTS = `<?xml version="1.0"?>
<fontconfig>
  <include>/etc/fonts/fonts.conf</include>
  <match>
    <edit name="family" mode="prepend_first" binding="strong">
      <string>Liberation Sans</string>
    </edit>
  </match>
</fontconfig>`;

const folder = Deno.args[0] ??
  new URL("../../docs/images", import.meta.url).pathname;
await Deno.mkdir(folder, { recursive: true });

/** The day of the keys in the pictures, which stays the same. */
const DAY = Date.UTC(2026, 4, 4, 9, 30);

await using app = await startExampleApp({ now: () => DAY });
const fonts = await Deno.makeTempFile({ suffix: ".conf" });
await Deno.writeTextFile(fonts, FONTS);
await using browser = await launch({ FONTCONFIG_FILE: fonts });
const admin = await prepare(app);
const pictures: Picture[] = [
  { file: "noticeboard.png", path: "/", scheme: "light", visitor: admin },
  { file: "login.png", path: "/login", scheme: "light" },
  {
    file: "account.png",
    path: "/account/keys",
    scheme: "light",
    visitor: admin,
    isWhole: false,
  },
  { file: "noticeboard_dark.png", path: "/", scheme: "dark", visitor: admin },
];
for (const picture of pictures) await take(browser, app, picture);
await Deno.remove(fonts);

/** Fills the board, on days that stay the same: so do the pictures. */
async function prepare({ database, loggedIn }: ExampleApp): Promise<Visitor> {
  const admin = await loggedIn("admin");
  const notices = [
    ["Garden day on Saturday", "Bring gloves and seedlings. Soup at one."],
    [
      "Lost: one grey cat",
      "Answers to Bit, sometimes. Last seen in the library.",
    ],
    ["Choir looks for a bass", "Thursdays at seven in the old gym."],
    ["New opening hours", "The office is open until six from May on."],
  ];
  for (const [title, body] of notices) {
    await admin.post("/editor/new", { title, body });
  }
  for (const name of ["Weekly report", "Calendar at home"]) {
    const values = { name, "scope-notices:read": "on", days: "90" };
    await admin.post("/account/keys", values);
  }
  const day = 24 * 60 * 60 * 1000;
  const first = Date.UTC(2026, 3, 20, 9, 30);
  const sql = "UPDATE notices SET author = ?, created_at = ? + id * ?";
  await database(sql, ["Alma Admin", first, day]);
  await database("UPDATE gatehouse_users SET name = ?", ["Alma Admin"]);
  // The beginning of a key is random, and so is the order of keys of one time.
  await database(
    `UPDATE gatehouse_ways_in SET data = json_set(data, '$.start', ?),
      created_at = created_at + length(name)`,
    ["board_key_Mw71"],
  );
  // The next page would show the message of the last form.
  await admin.get("/editor");
  return admin;
}

async function take(
  browser: Browser,
  { baseURL }: ExampleApp,
  { file, path, scheme, visitor, isWhole = true }: Picture,
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: scheme,
    deviceScaleFactor: 1.25,
    viewport: { width: 800, height: 520 },
  });
  const value = visitor?.cookie();
  if (value !== undefined) {
    await context.addCookies([{ name: "session", value, url: baseURL }]);
  }
  const page = await context.newPage();
  await page.goto(baseURL + path);
  await page.screenshot({ path: `${folder}/${file}`, fullPage: isWhole });
  await context.close();
}
