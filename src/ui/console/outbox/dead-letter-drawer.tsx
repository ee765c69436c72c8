import type { DeadLetter } from "../contract";
import { Ago } from "../parts/ago";
import { Dialog } from "../parts/dialog";
import { Json } from "../parts/json";
import { PermittedButton } from "../parts/permitted-button";

type DeadLetterDrawerProps = {
  letter: DeadLetter | null;
  onClose: () => void;
  onReplay: (seq: string) => void;
};

export function DeadLetterDrawer({ letter, onClose, onReplay }: DeadLetterDrawerProps) {
  return (
    <Dialog kind="drawer" open={letter !== null} onClose={onClose} title={`Row ${letter?.seq}`}>
      {letter && (
        <>
          <dl className="facts">
            <dt>Event</dt>
            <dd>{letter.type}</dd>
            <dt>Attempts</dt>
            <dd>{letter.attempts}</dd>
            <dt>Created</dt>
            <dd>
              <Ago at={letter.createdAt} />
            </dd>
            <dt>Dead since</dt>
            <dd>
              <Ago at={letter.deadAt} />
            </dd>
          </dl>
          <div>
            <h3 className="label">Last error</h3>
            <p className="consequence code" data-tone="critical">
              {letter.lastError ?? "–"}
            </p>
          </div>
          <div>
            <h3 className="label">Payload</h3>
            <Json value={letter.payload} label="Payload" />
          </div>
          <PermittedButton
            action="outbox.replay"
            className="btn btn-outline"
            onClick={() => onReplay(letter.seq)}
          >
            Replay row {letter.seq}
          </PermittedButton>
        </>
      )}
    </Dialog>
  );
}
