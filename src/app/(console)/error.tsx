"use client";

import { WholePage } from "../../ui/console/frame/whole-page";
import { useUpdateWhenGone } from "../../ui/use-update-when-gone";

export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  useUpdateWhenGone(error);
  const digest = error instanceof Error && "digest" in error ? String(error.digest) : undefined;
  const reference = digest && ` Reference ${digest}.`;
  return (
    <WholePage
      title="Page error"
      text={<>This page failed. The gate is not affected. Load the page again.{reference}</>}
    >
      <button type="button" className="btn btn-primary" onClick={retry}>
        Load this page again
      </button>
    </WholePage>
  );
}
