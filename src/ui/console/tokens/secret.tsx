import { Copy } from "lucide-react";
import { useState } from "react";
import { StateBadge } from "../parts/state-badge";

type SecretProps = { name: string; secret: string; onClose: () => void };

/** Shows the secret once: the server keeps only its hash. */
export function Secret({ name, secret, onClose }: SecretProps) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  return (
    <>
      <StateBadge state="ok" word={`${name} is created`} />
      <p>
        The secret is shown only once: the server keeps a hash of it. Store it where the machine reads it.
      </p>
      <p className="code rounded border border-line bg-page p-3 select-all">{secret}</p>
      <div className="dialog-foot" role="status">
        <button
          type="button"
          className="btn btn-outline"
          onClick={() =>
            navigator.clipboard.writeText(secret).then(
              () => setCopied("yes"),
              () => setCopied("failed"),
            )
          }
        >
          <Copy size={14} aria-hidden="true" />
          {copied === "yes"
            ? "Copied"
            : copied === "failed"
              ? "Copying failed; select it"
              : "Copy the secret"}
        </button>
        <button type="button" className="btn btn-primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </>
  );
}
