import type { Metadata } from "next";
import { WholePage } from "../../ui/console/frame/whole-page";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <WholePage
      title="Page not found"
      text="The console has no page at this address. Check the link for a typo."
    >
      <a className="btn btn-outline" href="/console">
        Go to the console
      </a>
    </WholePage>
  );
}
