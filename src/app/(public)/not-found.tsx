import type { Metadata } from "next";
import { GateCard } from "../../ui/artwork/gate-card";
import { Notice } from "../../ui/notice";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <GateCard>
      <Notice
        state="404"
        title="Page not found"
        text="There is no page at this address. Check the link for a typo."
      >
        <a className="button button-primary" href="/">
          Go to sign up
        </a>
      </Notice>
    </GateCard>
  );
}
