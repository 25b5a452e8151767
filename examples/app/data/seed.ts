import { hashPassword } from "@gatehouse/web/auth/password";
import type { Query } from "./database.ts";
import { Notices } from "./notices.ts";
import { type Role, Users } from "./users.ts";

/** An account of the demo. */
export interface DemoAccount {
  readonly email: string;
  readonly password: string;
  readonly role: Role;
}

const people = [
  { name: "Alma Admin", email: "admin@example.com", role: "admin" },
  { name: "Edgar Editor", email: "editor@example.com", role: "editor" },
] as const;

/** The notices of a new board, the oldest first. */
const notices = [
  {
    author: 1,
    title: "For programs: the API",
    body:
      "Create an API key on your account page. The next page shows a command that uses it. With a key, a program can read these notices.\n\nAccess tokens have the permissions of their user. With the token of an editor, a program can delete a notice.",
  },
  {
    author: 0,
    title: "Wrong passwords take time",
    body:
      "After five wrong passwords, each further attempt has to wait longer. A browser that you have used before is not affected, so an attacker cannot lock you out.",
  },
  {
    author: 1,
    title: "Log in without a password",
    body:
      "The demo identity provider runs next to this board. Log in as Ada, Grace or Edith, and see what happens if two accounts have the same email address.",
  },
  {
    author: 0,
    title: "Welcome to the noticeboard",
    body:
      "Everyone can read this. Register, look at your sessions, and try to open the editor: only editors and admins can.\n\nThe login page shows a demo account for each of them.",
  },
] as const;

/**
 * Puts two accounts and four notices into a database that has no users yet, so
 * that a new user sees every role. The passwords are random: no installation has
 * a password that others know.
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
    const user = await users.create({
      name,
      email,
      passwordHash,
      role,
      emailVerified: true,
    });
    // Two servers may start at once: the accounts of the first one count.
    if (user !== null) accounts.push({ email, password, role });
  }
  if (!accounts.some(({ role }) => role === people[0].role)) return accounts;
  const board = new Notices(database);
  for (const { author, ...notice } of notices) {
    await board.create(notice, people[author].name);
  }
  return accounts;
}

/** Returns 72 random bits in 12 characters. */
function randomPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return btoa(String.fromCharCode(...bytes));
}
