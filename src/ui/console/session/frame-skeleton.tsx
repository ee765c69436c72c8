/** The empty frame while the session is read. */
export function FrameSkeleton() {
  return (
    <div className="frame" aria-busy="true">
      <div className="strip">
        <div className="environment" />
      </div>
      <div className="nav">
        <span className="px-2.5 py-1 font-semibold">Floodgate</span>
      </div>
      <main className="main">
        <p role="status" className="text-soft">
          Loading your session…
        </p>
      </main>
    </div>
  );
}
