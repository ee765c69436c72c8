import { Bookmark } from "lucide-react";
import { ConsoleLink } from "../parts/console-link";
import { useSavedViews } from "./use-saved-views";

type ViewLinksProps = {
  page: string;
  href: string;
  /** What the page shows now, as `queryOf` says it. */
  query: string;
  onManage: () => void;
};

/** The saved views of a page as links, and the way to save another. */
export function ViewLinks({ page, href, query, onManage }: ViewLinksProps) {
  const { views } = useSavedViews(page);
  return (
    <nav className="views" aria-label="Saved views">
      {views.map(view => (
        <ConsoleLink
          key={view.name}
          href={view.query === "" ? href : `${href}?${view.query}`}
          className="view"
          aria-current={view.query === query ? "true" : undefined}
        >
          {view.name}
        </ConsoleLink>
      ))}
      <button type="button" className="btn btn-quiet" onClick={onManage}>
        <Bookmark size={14} aria-hidden="true" /> {views.length === 0 ? "Save this view" : "Views"}
      </button>
    </nav>
  );
}
