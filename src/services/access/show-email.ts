import { domainToUnicode } from "node:url";
import { brokenRule } from "../../domain/username/username-rules";

/**
 * A stored address as people know it: labels in their own letters. A label of mixed scripts stays an A-label, because it
 * looks like another domain.
 */
export function showEmail(email: string): string {
  const at = email.lastIndexOf("@") + 1;
  return email.slice(0, at) + email.slice(at).split(".").map(showLabel).join(".");
}

function showLabel(label: string): string {
  if (!label.startsWith("xn--")) return label;
  const shown = domainToUnicode(label);
  const rule = shown === "" ? "malformed" : brokenRule(shown);
  return rule === null || rule === "too-short" ? shown : label;
}
