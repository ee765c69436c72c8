import { type FormEvent, useEffect, useRef } from "react";

type Asked = { account: string; order: string; symbol: string };
type OrderFormProps = { asked: Asked; isBusy: boolean; onAsk: (asked: Asked) => void };

const FIELDS = [
  { name: "account", label: "Account", maxLength: 36, isRequired: true },
  { name: "order", label: "Order id", maxLength: 36, isRequired: true },
  { name: "symbol", label: "Symbol, if known", maxLength: 12, isRequired: false },
] as const;

export function OrderForm({ asked, isBusy, onAsk }: OrderFormProps) {
  const form = useRef<HTMLFormElement>(null);

  // Links change the address.
  useEffect(() => {
    for (const { name } of FIELDS) {
      const input = form.current?.elements.namedItem(name);
      if (input instanceof HTMLInputElement && input.value !== asked[name]) input.value = asked[name];
    }
  }, [asked]);

  function submit(event: FormEvent) {
    event.preventDefault();
    const data = new FormData(form.current!);
    const read = (name: keyof Asked) => String(data.get(name) ?? "").trim();
    onAsk({ account: read("account"), order: read("order"), symbol: read("symbol").toUpperCase() });
  }

  return (
    <form
      ref={form}
      className="mb-3 grid max-w-3xl items-end gap-2 sm:grid-cols-[1fr_1fr_11rem_auto]"
      onSubmit={submit}
    >
      {FIELDS.map(({ name, label, maxLength, isRequired }, index) => (
        <label key={name} className="block">
          <span className="label">{label}</span>
          <input
            name={name}
            data-search={index === 0 || undefined}
            className="input"
            defaultValue={asked[name]}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={maxLength}
            required={isRequired}
            // biome-ignore lint/a11y/noAutofocus: the page has only this form.
            autoFocus={index === 0}
          />
        </label>
      ))}
      <button type="submit" className="btn btn-primary" aria-busy={isBusy}>
        Trace the order
      </button>
    </form>
  );
}
