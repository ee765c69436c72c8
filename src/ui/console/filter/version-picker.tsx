import type { VersionStatus } from "../contract";

type VersionPickerProps = {
  versions: readonly VersionStatus[];
  value: number;
  onValue: (version: number) => void;
};

/** Chooses the version of the map and the gates. */
export function VersionPicker({ versions, value, onValue }: VersionPickerProps) {
  return (
    <div className="my-3 flex flex-wrap items-center gap-3">
      <span className="text-soft" id="version-picker">
        Version
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out in one line with its legend. */}
      <div className="segmented" role="group" aria-labelledby="version-picker">
        {versions.map(({ version, state }) => (
          <button
            key={version}
            type="button"
            aria-pressed={version === value}
            onClick={() => onValue(version)}
          >
            v{version} {state}
          </button>
        ))}
      </div>
    </div>
  );
}
