/** The shape of the page before its first answer. */
export function FilterSkeleton() {
  return (
    <div aria-busy="true">
      <div className="panel mb-3 h-33" />
      <div className="version-cards">
        <div className="panel h-78" />
        <div className="panel h-78" />
        <div className="panel h-78" />
      </div>
    </div>
  );
}
