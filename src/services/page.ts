/** Pages count from 1. */
export type Page = { page: number; pageSize: number };

/** Rows are counted up to here; a total of this many means "at least". */
export const COUNTED_ROWS = 10_000;

export const pageWindow = ({ page, pageSize }: Page) => ({ skip: (page - 1) * pageSize, take: pageSize });

/** Escapes text for LIKE: `%` and `_` match themselves. */
export const likeText = (text: string) => text.replace(/[\\%_]/g, "\\$&");
