/** The frame's own shape while the server is asked who is here: nothing in it is anybody's data. */
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
          Asking the server who you are…
        </p>
      </main>
    </div>
  );
}
