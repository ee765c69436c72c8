import type { Trace } from "../contract";
import { codePoint } from "../parts/visible-text";

/** The typed characters, and the normal forms made of them. */
export function NormalForm({ name, trace }: { name: string; trace: Trace }) {
  return (
    <>
      <dl className="facts">
        <dt>Typed</dt>
        <dd className="code">{codePoints(name)}</dd>
        {trace.username !== undefined && (
          <>
            <dt>Username</dt>
            <dd>
              <bdi>{trace.username}</bdi>
            </dd>
          </>
        )}
        {trace.key !== undefined && (
          <>
            <dt>Key</dt>
            <dd className="code">{trace.key}</dd>
          </>
        )}
        {trace.skeleton !== undefined && (
          <>
            <dt>Skeleton</dt>
            <dd className="code">{trace.skeleton}</dd>
          </>
        )}
        {trace.policyVersion !== undefined && (
          <>
            <dt>Policy</dt>
            <dd>version {trace.policyVersion}</dd>
          </>
        )}
      </dl>
      {!trace.verdict.ok && <p className="mt-2">{trace.verdict.message}</p>}
    </>
  );
}

const MAX_SHOWN = 48;

/** Letters stay; characters that are invisible or ambiguous get their code point. */
function codePoints(text: string): string {
  const shown = [...text].slice(0, MAX_SHOWN);
  const plain = shown.map(char =>
    /^[\x21-\x7e]$/.test(char) ? char : `${/^[\p{L}\p{N}]$/u.test(char) ? char : ""}⟨U+${codePoint(char)}⟩`,
  );
  return plain.join("") + (shown.length < [...text].length ? "…" : "");
}
