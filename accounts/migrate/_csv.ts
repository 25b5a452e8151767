/**
 * Parses a CSV file with a header (RFC 4180), and yields an object for each row.
 *
 * @throws {TypeError} If a row has another number of fields than the header, or a
 * quoted field does not end.
 */
export function* parseCSV(
  text: string,
): Generator<Record<string, string>, void, unknown> {
  const rows = rowsOf(text.replace(/^\uFEFF/, ""));
  const { value: header } = rows.next();
  if (!header) return;
  for (const fields of rows) {
    // An empty line has one empty field.
    if (fields.length === 1 && fields[0] === "") continue;
    if (fields.length !== header.length) {
      throw new TypeError(
        `Cannot read CSV: a row has ${fields.length} fields instead of ${header.length}`,
      );
    }
    yield Object.fromEntries(
      header.map((name, index) => [name, fields[index]!]),
    );
  }
}

/** Each field with the separator after it: a quoted one, or one without quotes. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function* rowsOf(text: string): Generator<string[], void, unknown> {
  let fields: string[] = [];

  const field = new RegExp(FIELD);
  while (field.lastIndex < text.length || fields.length > 0) {
    const match = field.exec(text);
    if (match === null) throw new TypeError("Cannot read CSV: it is malformed");
    const [, quoted, plain = "", separator] = match;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === ",") continue;
    yield fields;
    fields = [];
  }
}
