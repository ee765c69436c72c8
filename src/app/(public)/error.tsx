"use client";

import { GateCard } from "../../ui/artwork/gate-card";
import { Notice } from "../../ui/notice";

export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  const digest = error instanceof Error && "digest" in error ? String(error.digest) : undefined;
  return (
    <GateCard>
      <Notice
        state="Error"
        title="Page error"
        text="This page failed. Load it again. If it fails again, try in a few minutes."
        reference={digest}
      >
        <button type="button" className="button button-primary" onClick={retry}>
          Load this page again
        </button>
      </Notice>
    </GateCard>
  );
}
