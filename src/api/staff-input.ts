import { z } from "zod";

/** One line of text, as people type it: Postgres can't hold U+0000, and a log line should stay one. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, "Please fill this in.")
    .max(max, `Use at most ${max} characters.`)
    .refine(text => text.isWellFormed() && !/\p{Control}/u.test(text), "This holds a control character.");

/** Why: asked for with every change, and shown in the audit log. */
export const reason = line(500);

export const instant = z.iso.datetime({ offset: true, error: "This is not a time in ISO 8601." });

export const search = line(200).optional();

/** Pages count from 1, and nobody leafs past the 10,000th row. */
export const page = {
  page: z.number().int().min(1).max(10_000).default(1),
  pageSize: z.number().int().min(1).max(100).default(25),
};
export const isShallow = ({ page, pageSize }: { page: number; pageSize: number }) =>
  page * pageSize <= 10_000 + pageSize;
export const TOO_DEEP = { message: "Narrow the search down instead of leafing so far.", path: ["page"] };
