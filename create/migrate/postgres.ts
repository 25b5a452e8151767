import type { SQLQuery } from "../../session/stores/sql.ts";
import type { OpenDatabase } from "./databases.ts";
import { nameOf, refusal } from "./options.ts";

/** The package of the driver. */
const DRIVER = "postgres";

/** The version of the driver. */
const VERSION = "3.4.7";

/** The type `timestamp` of PostgreSQL, without a time zone. */
const TIMESTAMP = 1114;

/** The part of the driver that the program uses. */
interface Client {
  unsafe: SQLQuery;
  end(): Promise<void>;
}

/**
 * Opens a database of PostgreSQL with one connection.
 *
 * @param begin The statement that begins a transaction, which is never committed.
 */
export async function openPostgres(
  location: string,
  begin?: string,
): Promise<OpenDatabase> {
  let isLost = false;
  const client = await connect(location, () => isLost = true);
  const run: SQLQuery = (sql, params) => {
    // The driver connects again, and statements outside the transaction would write.
    if (isLost && begin) throw new Error("The connection to PostgreSQL ended");
    return client.unsafe(sql, params);
  };
  try {
    await run(begin ?? "SELECT 1", []);
  } catch (error) {
    await client.end();
    const { code, message } = error as Error & { readonly code?: string };
    throw refusal(`${nameOf(location)}: ${message || code}`);
  }
  return { dialect: "postgres", query: run, close: () => client.end() };
}

async function connect(
  location: string,
  onclose: () => void,
): Promise<Client> {
  const { default: postgres } = await importDriver();
  const options = {
    max: 1,
    // A connection that the driver replaces would end the transaction.
    max_lifetime: null,
    connect_timeout: 10,
    onnotice: () => {},
    onclose,
    types: {
      // Prisma, Drizzle and Kysely write UTC. The driver would read local time.
      timestamp: {
        to: TIMESTAMP,
        from: [TIMESTAMP],
        serialize: String,
        parse: (text: string) => new Date(`${text.replace(" ", "T")}Z`),
      },
    },
  };
  try {
    return postgres(location, options);
  } catch {
    // The message of the driver may contain the URL with its password.
    throw refusal(`${nameOf(location)}: the URL is malformed`);
  }
}

/**
 * Imports the driver. The specifier is not static, so that the package does not depend
 * on it: Deno downloads it here, and Node has it if the user has installed it.
 */
async function importDriver(): Promise<
  { readonly default: (url: string, options: object) => Client }
> {
  const specifier = "Deno" in globalThis ? `npm:${DRIVER}@${VERSION}` : DRIVER;
  try {
    return await import(specifier);
  } catch {
    throw refusal(
      `PostgreSQL needs the driver: use Deno, or run npm install ${DRIVER}@${VERSION}`,
    );
  }
}
