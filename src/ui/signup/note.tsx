import { StatusMessage } from "../status-message";

/** Something about the form that the user did not ask for; a screen reader reads it. */
export const Note = (about: { word: string; text: string }) => (
  <p className="input-status" role="status">
    <StatusMessage tone="soft" {...about} />
  </p>
);
