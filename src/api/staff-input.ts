import { z } from "zod";

/** One line of text: Postgres can't store U+0000, and a log line must stay one line. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, "Fill this in.")
    .max(max, `Use at most ${max} characters.`)
    .refine(text => text.isWellFormed() && !/\p{Control}/u.test(text), "This holds a control character.");

/** Why a change is made: required for every change and shown in the audit log. */
export const reason = line(500);

export const instant = z.iso.datetime({ offset: true, error: "Give the time in ISO 8601." });

export const search = line(200).optional();

/** A version that the caller saw: it and its successor fit a column of type integer. */
export const int4 = z.number().int().min(0).max(2_147_483_646);

/** Pages count from 1 and end at row 10,000. */
export const page = {
  page: z.number().int().min(1).max(10_000).default(1),
  pageSize: z.number().int().min(1).max(100).default(25),
};
export const isShallow = ({ page, pageSize }: { page: number; pageSize: number }) =>
  page * pageSize <= 10_000 + pageSize;
export const TOO_DEEP = {
  message: "Only the first 10,000 rows can be shown. Narrow the search.",
  path: ["page"],
};
