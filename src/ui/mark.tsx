/** The logo. `size` in pixels; a smaller logo has thicker lines. */
export function Mark({ size }: { size: 20 | 24 }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
      <g strokeWidth={size === 24 ? 1.75 : 1.9} strokeLinecap="round" strokeLinejoin="round">
        <path d="M4.5 3v13M19.5 3v13" />
        <path d="M9 4.5h6v6H9z" fill="currentColor" />
        <path
          d="M2.5 19.6c2.4-1.9 4.7-1.9 7.1 0s4.7 1.9 7.1 0 2.9-1.6 4.8-.9"
          className="text-accent"
          stroke="currentColor"
        />
      </g>
    </svg>
  );
}
