import { useState } from "react";
import { consoleApi } from "../console-api";
import { FormDialog } from "../parts/form-dialog";
import { ReasonField } from "../parts/reason-field";
import { TextField } from "../parts/text-field";
import {
  type AddSymbolDraft,
  addSymbolInput,
  addSymbolProblem,
  amountRange,
  EMPTY_SYMBOL,
} from "./add-symbol-draft";

/** Lists a symbol. */
export default function AddSymbolDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY_SYMBOL);
  const input = addSymbolInput(draft);
  const onDraft = (part: Partial<AddSymbolDraft>) => setDraft(now => ({ ...now, ...part }));
  return (
    <FormDialog
      title="Add a symbol"
      action="symbol.add"
      verb={`Add ${input.symbol || "the symbol"}`}
      disabledReason={addSymbolProblem(draft)}
      run={() => consoleApi.symbol.add.mutate(input)}
      done={`${input.symbol} is listed`}
      refresh={["symbol.page"]}
      onClose={onClose}
    >
      <p className="consequence" data-tone="unknown">
        Every server accepts its orders within a second. The decimals can't be changed later: amounts are kept
        as whole numbers of the smallest unit.
      </p>
      <TextField
        isFirst
        maxLength={12}
        label="Symbol"
        value={draft.symbol}
        onValue={symbol => onDraft({ symbol })}
      />
      <DecimalsField
        label="Price decimals"
        noun="Prices"
        value={draft.priceDecimals}
        onValue={priceDecimals => onDraft({ priceDecimals })}
      />
      <DecimalsField
        label="Quantity decimals"
        noun="Quantities"
        value={draft.quantityDecimals}
        onValue={quantityDecimals => onDraft({ quantityDecimals })}
      />
      <ReasonField required value={draft.reason} onValue={reason => onDraft({ reason })} />
    </FormDialog>
  );
}

type DecimalsFieldProps = { label: string; noun: string; value: string; onValue: (value: string) => void };

function DecimalsField({ noun, value, ...field }: DecimalsFieldProps) {
  const range = amountRange(value);
  return (
    <TextField
      isNumber
      {...field}
      value={value}
      note={range ? `${noun} from ${range}` : "A whole number from 0 to 12"}
    />
  );
}
