/**
 * Returns a row of a CSV file (RFC 4180). Spreadsheets run cells that begin with
 * certain characters as formulas, so those cells get an apostrophe.
 */
export function csvRow(cells: readonly string[]): string {
  const quoted = cells.map((cell) => {
    const isFormula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n|%]/.test(cell);
    const safe = isFormula ? `'${cell}` : cell;
    return `"${safe.replaceAll('"', '""')}"`;
  });
  return `${quoted.join(",")}\r\n`;
}
