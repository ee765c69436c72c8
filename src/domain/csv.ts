/** The start of a formula in a spreadsheet, also in full-width forms. */
const FORMULA_START = /^[\s\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/**
 * RFC 4180, every cell in quotes. A cell that a spreadsheet would run as a formula gets an apostrophe in
 * front: names and reasons are text of users.
 */
export function toCsv(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map(row => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: string | null): string {
  const text = value ?? "";
  return `"${(FORMULA_START.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
