const KEY = "floodgate-signup";

/** Answers that survive a reload of the page. The password is never among them. */
export type KeptAnswers = { username: string; email: string; step: number };

export function keepAnswers(answers: KeptAnswers): void {
  sessionStorage.setItem(KEY, JSON.stringify(answers));
}

/** The answers of before the reload, once. */
export function takeAnswers(): KeptAnswers | null {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? null : (JSON.parse(kept) as KeptAnswers);
}
