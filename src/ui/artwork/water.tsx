const bands = ["shallow", "middle", "deep"];

/** One wave of 256 px, repeated: the pattern's seam must meet itself, so both ends are at half height. */
const wave = "M0 5C43 1 85 1 128 5s85 4 128 0";

/** Three flat bands of water behind the card, like the depth bands of a chart. Decoration only. */
export function Water() {
  return (
    <div className="water" aria-hidden="true">
      {bands.map(band => (
        <div key={band} className={`water-band water-${band}`}>
          <svg className="water-crest" width="100%" height="10" aria-hidden="true">
            <defs>
              <pattern id={`wave-${band}`} width="256" height="10" patternUnits="userSpaceOnUse">
                <path d={`${wave}V10H0Z`} fill="var(--band)" />
                <path d={wave} fill="none" stroke="var(--band-line)" strokeWidth="1.25" />
              </pattern>
            </defs>
            <rect width="100%" height="10" fill={`url(#wave-${band})`} />
          </svg>
        </div>
      ))}
    </div>
  );
}
