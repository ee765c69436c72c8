import { X } from "lucide-react";
import { useId, useState } from "react";
import { Dialog } from "../parts/dialog";
import { toast } from "../toast/toast";
import { MAX_NAME, nameProblem, withView } from "./saved-views";
import { useSavedViews } from "./use-saved-views";

type ViewsDialogProps = {
  open: boolean;
  page: string;
  query: string;
  /** What the page shows now, in words. */
  shown: string;
  onClose: () => void;
};

/** Names what the page shows now, and removes what is not needed any more. */
export default function ViewsDialog({ open, onClose, ...about }: ViewsDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Saved views">
      <ViewsForm {...about} onClose={onClose} />
    </Dialog>
  );
}

function ViewsForm({ page, query, shown, onClose }: Omit<ViewsDialogProps, "open">) {
  const id = useId();
  const { views, save } = useSavedViews(page);
  const [name, setName] = useState("");
  const problem = nameProblem(views, name);
  const keep = (next: typeof views, done: string) => {
    if (save(next)) toast.success(done);
    else toast.error("This browser keeps nothing: the view is not saved.");
  };
  return (
    <>
      <form
        className="contents"
        onSubmit={event => {
          event.preventDefault();
          if (problem) return;
          keep(withView(views, { name: name.trim(), query }), `“${name.trim()}” is saved`);
          onClose();
        }}
      >
        <p>
          Now: {shown}. <span className="text-soft">Views are kept in this browser, for you alone.</span>
        </p>
        <div className="flex flex-wrap items-end gap-2">
          <span className="min-w-40 grow">
            <label className="label" htmlFor={id}>
              Save it as
            </label>
            <input
              id={id}
              data-first
              className="input"
              autoComplete="off"
              maxLength={MAX_NAME}
              value={name}
              onChange={event => setName(event.target.value)}
            />
          </span>
          <button
            type="submit"
            className="btn btn-primary"
            aria-disabled={problem ? true : undefined}
            title={problem}
          >
            Save the view
          </button>
        </div>
      </form>
      {views.length > 0 && (
        <ul className="grid gap-1" aria-label="Views that are saved">
          {views.map(view => (
            <li key={view.name} className="flex items-center gap-2">
              <span className="min-w-0 grow truncate">{view.name}</span>
              <button
                type="button"
                className="btn btn-quiet btn-icon"
                aria-label={`Remove ${view.name}`}
                onClick={() =>
                  keep(
                    views.filter(one => one !== view),
                    `“${view.name}” is removed`,
                  )
                }
              >
                <X size={16} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
