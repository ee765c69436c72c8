import { ScrollArea } from "./scroll-area";

/** A value as JSON, to read and copy. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <ScrollArea label={label} className="max-h-72 overflow-auto rounded border border-line bg-page p-2.5">
      <pre className="code whitespace-pre-wrap">{JSON.stringify(value, null, 2)}</pre>
    </ScrollArea>
  );
}
