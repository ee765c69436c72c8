type HeatStripProps = {
  label: string;
  shares: readonly (number | null)[];
  throttled: readonly (number | null)[];
};

/** One shard over time as a strip of colour: one sequential scale, a tone of its own for throttled, a hatch for unknown. */
export function HeatStrip({ label, shares, throttled }: HeatStripProps) {
  const width = 100 / Math.max(1, shares.length);
  const stops = shares.map((share, n) => {
    const colour = colourOf(share, throttled[n] ?? 0);
    return `${colour} ${(n * width).toFixed(2)}% ${((n + 1) * width).toFixed(2)}%`;
  });
  const background =
    stops.length > 0 ? `linear-gradient(90deg, ${stops.join(", ")}), var(--hatch)` : "var(--hatch)";
  return <span className="heat-strip" role="img" aria-label={label} title={label} style={{ background }} />;
}

function colourOf(share: number | null, throttled: number): string {
  if (share === null) return "transparent";
  if (throttled > 0) return "var(--critical)";
  const strength = Math.round(Math.min(1, share) * 92);
  return `color-mix(in oklch, var(--series-1) ${strength}%, var(--raised))`;
}
