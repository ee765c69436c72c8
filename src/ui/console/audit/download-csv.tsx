"use client";

import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { consoleApi } from "../console-api";
import type { AuditQuery } from "../contract";
import { explainFailure } from "../parts/explain-failure";
import { toast } from "../toast/toast";

/** Enough for megabytes over a slow line. */
const CSV_MS = 120_000;

/** Downloads all rows that match the filters, not only those of this page. */
export function DownloadCsv({ query }: { query: AuditQuery }) {
  const download = useMutation({
    mutationFn: () => consoleApi.audit.csv.query(query, { context: { deadlineMs: CSV_MS } }),
    onSuccess({ csv, truncated }) {
      save(csv, `audit-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.csv`);
      if (truncated)
        toast.warning("The file contains only the newest rows. Narrow the filters to get older ones.");
    },
    onError(error) {
      const { title, text } = explainFailure(error);
      toast.error(title, text);
    },
  });
  return (
    <button
      type="button"
      className="btn btn-outline"
      aria-busy={download.isPending}
      onClick={() => !download.isPending && download.mutate()}
    >
      <Download size={14} aria-hidden="true" /> {download.isPending ? "Writing…" : "Download CSV"}
    </button>
  );
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
