import { hashPassword } from "@gatehouse/web/auth/password";
import type { Query } from "./database.ts";
import { Notices } from "./notices.ts";
import { type Role, Users } from "./users.ts";

/** An account of the demo, with the password that is printed once. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}

const people = [
  { name: "Alma Admin", email: "admin@example.com", role: "admin" },
  { name: "Edgar Editor", email: "editor@example.com", role: "editor" },
] as const;

/**
 * Puts two accounts and a notice into a database that has no users yet, so that
 * a newcomer sees every role. The passwords are random: no installation has a
 * password that others know.
 *
 * @returns The accounts; an empty array if the database had users.
 */
export async function seed(database: Query): Promise<DemoAccount[]> {
  const users = new Users(database);
  if (await users.count() > 0) return [];
  const accounts: DemoAccount[] = [];
  for (const { name, email, role } of people) {
    const password = randomPassword();
    const passwordHash = await hashPassword(password);
    const user = await users.create({ name, email, passwordHash, role });
    // Two servers may begin at once: the first one's accounts are those.
    if (user !== null) accounts.push({ email, password, role });
  }
  if (!accounts.some(({ role }) => role === people[0].role)) return accounts;
  await new Notices(database).create({
    title: "Welcome to the noticeboard",
    body:
      "Everyone can read this. Register, look around your account, and try to open the editor: only editors and admins can.\n\nTheir accounts are printed where this example was started.",
  }, people[0].name);
  return accounts;
}

/** Returns 72 random bits in 12 characters. */
function randomPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes));
}
