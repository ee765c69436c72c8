/** The result of a trace in one sentence, for the answer to a support case. */
export function Conclusion({ text }: { text: string }) {
  return (
    <section
      className="panel px-4 py-3 text-[1.0625rem] [overflow-wrap:anywhere]"
      aria-label="Conclusion"
      role="status"
    >
      {text}
    </section>
  );
}
