export const ME_KEY = ["session.me"] as const;
