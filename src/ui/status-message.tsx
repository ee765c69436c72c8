type Tone = "ok" | "critical" | "warning" | "unknown" | "soft";

type StatusMessageProps = { tone: Tone; word?: string; text: string };

const icons: Record<Tone, string> = {
  ok: "M6.5 10.3l2.4 2.4 4.6-5",
  critical: "M7.3 7.3l5.4 5.4M12.7 7.3l-5.4 5.4",
  warning: "M7 10h6",
  // Hatching stands for "unknown" everywhere in the product.
  unknown: "M3.6 8.6l5-5M2.7 13.2L13.2 2.7M5 16.3L16.3 5M9 17.2l8.2-8.2",
  soft: "",
};

const colours: Record<Tone, string> = {
  ok: "text-ok",
  critical: "text-critical",
  warning: "text-warning",
  unknown: "text-unknown",
  soft: "text-ink-soft",
};

/** A message about an input. An icon and a word show its state, beside the colour. */
export function StatusMessage({ tone, word, text }: StatusMessageProps) {
  return (
    <>
      {icons[tone] && (
        <svg className={`icon ${colours[tone]}`} viewBox="0 0 20 20" aria-hidden="true">
          <circle cx="10" cy="10" r="7.25" />
          <path d={icons[tone]} />
        </svg>
      )}
      <span className="min-w-0 text-ink-soft [overflow-wrap:anywhere]">
        {word && <strong className={`font-semibold ${colours[tone]}`}>{word} </strong>}
        {text}
      </span>
    </>
  );
}
