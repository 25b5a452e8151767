import type { Query } from "./database.ts";

/**
 * Returns the secret of this installation, which encrypts second factors and
 * emailed codes. It is created when it is first needed.
 *
 * An application with more at stake keeps it outside the database, in the
 * variable `SECRET`: a stolen database contains this one.
 */
export async function appSecret(query: Query): Promise<string> {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const value = btoa(String.fromCharCode(...bytes));
  await query(
    `INSERT INTO app_secrets (name, value) VALUES ('main', ?)
      ON CONFLICT (name) DO NOTHING`,
    [value],
  );
  // Two servers may start at once: the secret of the first one counts.
  const [row] = await query(
    "SELECT value FROM app_secrets WHERE name = 'main'",
    [],
  );
  return String(row.value);
}
