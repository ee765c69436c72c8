/** Pages count from 1. */
export type Page = { page: number; pageSize: number };

/** Nobody leafs further; a total of this many means "at least". */
export const COUNTED_ROWS = 10_000;

export const pageWindow = ({ page, pageSize }: Page) => ({ skip: (page - 1) * pageSize, take: pageSize });

/** What a person typed, for LIKE: `%` and `_` mean themselves. */
export const likeText = (text: string) => text.replace(/[\\%_]/g, "\\$&");
