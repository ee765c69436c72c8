import { diffValues } from "./diff-values";

/** Before and after side by side, changes first. */
export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const { changed, same } = diffValues(before, after);
  if (changed.length + same.length === 0) return <p className="text-soft">Nothing was changed.</p>;
  return (
    <table className="table rounded border border-line">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {[...changed, ...same].map(({ path, before: was, after: is }) => (
          <tr key={path} className={was === is ? "text-soft" : undefined}>
            <td className="code">{path}</td>
            <td className="code whitespace-normal! py-1.5!">
              {was === undefined ? (
                <span className="whitespace-nowrap text-faint">nothing</span>
              ) : was === is ? (
                was
              ) : (
                <del className="text-critical">{was}</del>
              )}
            </td>
            <td className="code whitespace-normal! py-1.5!">
              {is === undefined ? (
                <span className="whitespace-nowrap text-faint">nothing</span>
              ) : was === is ? (
                is
              ) : (
                <ins className="text-ok no-underline">{is}</ins>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
