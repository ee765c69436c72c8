import type { Gate } from "../../../domain/filter/filter-gates";
import type { VersionStatus } from "../contract";
import { Ago } from "../parts/ago";
import { StateBadge } from "../parts/state-badge";

const states = { pass: "ok", fail: "critical", "no data": "unknown" } as const;
/** These gates come from the stored report; the others are live. */
const REPORTED: readonly Gate["name"][] = ["shards", "rows", "falsePositives", "age"];

/** The gates of a promotion: verdict, value, threshold and age. */
export function GatesPanel({ version }: { version?: VersionStatus }) {
  const gates = version?.gates ?? [];
  const passed = gates.filter(({ verdict }) => verdict === "pass").length;
  return (
    <section className="panel" aria-label="Gates">
      <div className="panel-head">
        <h2>{version ? `Gates of v${version.version}` : "Gates"}</h2>
        {gates.length > 0 && (
          <p className="text-soft">
            {passed} of {gates.length} pass
          </p>
        )}
      </div>
      {gates.length === 0 ? (
        <div className="blank">
          <strong>No gates</strong>
          <p>A version has gates once it is built and verified.</p>
        </div>
      ) : (
        <Gates gates={gates} report={version?.report ?? null} />
      )}
    </section>
  );
}

type GatesProps = { gates: readonly Gate[]; report: VersionStatus["report"] };

export function Gates({ gates, report }: GatesProps) {
  return (
    <ul className="gates">
      {gates.map(gate => (
        <li key={gate.name} data-verdict={gate.verdict}>
          <StateBadge state={states[gate.verdict]} word={gate.verdict} />
          <div className="min-w-0">
            <p>{gate.title}</p>
            <p className="text-[0.8125rem] text-soft">
              <span className="text-ink">{gate.value}</span>; needed: {gate.threshold}
            </p>
          </div>
          <p className="gate-age">
            {REPORTED.includes(gate.name) ? report ? <Ago at={report.finishedAt} /> : "–" : "now"}
          </p>
        </li>
      ))}
    </ul>
  );
}
