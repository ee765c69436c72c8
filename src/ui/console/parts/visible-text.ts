/** Shows invisible and bidirectional control characters as their code points. */
export const visibleText = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, char => `⟨U+${codePoint(char)}⟩`);

export const codePoint = (char: string): string =>
  (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
