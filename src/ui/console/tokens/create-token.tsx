"use client";

import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import { ROLES, type Role } from "../contract";
import { Dialog } from "../parts/dialog";
import { FormDialog } from "../parts/form-dialog";
import { Secret } from "./secret";

const DAY_MS = 86_400_000;
const LIFETIMES = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "a year"],
  ["", "no limit"],
] as const;

type Grantable = Exclude<Role, "member">;
const GRANTABLE = ROLES.filter((role): role is Grantable => role !== "member");
const TITLE = "Create a service token";

export function CreateToken({ onClose }: { onClose: () => void }) {
  const id = useId();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Grantable>("viewer");
  const [days, setDays] = useState("90");
  const [secret, setSecret] = useState<string | null>(null);

  if (secret !== null)
    return (
      <Dialog open onClose={onClose} title={TITLE}>
        <Secret name={name.trim()} secret={secret} onClose={onClose} />
      </Dialog>
    );
  return (
    <FormDialog
      title={TITLE}
      action="token.manage"
      verb="Create the token"
      disabledReason={name.trim() === "" ? "Type a name first." : undefined}
      run={() => createToken({ name: name.trim(), role, days })}
      onDone={created => setSecret(created.secret)}
      refresh={["token.list"]}
      onClose={onClose}
    >
      <div>
        <label className="label" htmlFor={`${id}-name`}>
          Name of the machine or script
        </label>
        <input
          id={`${id}-name`}
          data-first
          className="input"
          autoComplete="off"
          maxLength={64}
          value={name}
          onChange={event => setName(event.target.value)}
        />
      </div>
      <div className="flex flex-wrap gap-4">
        <label>
          <span className="label">Role</span>
          <select
            className="input"
            value={role}
            onChange={event => setRole(GRANTABLE.find(each => each === event.target.value) ?? "viewer")}
          >
            {GRANTABLE.map(each => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          <span className="label">Lifetime</span>
          <select className="input" value={days} onChange={event => setDays(event.target.value)}>
            {LIFETIMES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {(role === "admin" || role === "operator") && (
        <p className="consequence" data-tone="warning">
          A program with this token can change what the role {role} can change, without signing in.
        </p>
      )}
    </FormDialog>
  );
}

function createToken({ name, role, days }: { name: string; role: Grantable; days: string }) {
  const expiresAt = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : undefined;
  return consoleApi.token.create.mutate({ name, role, expiresAt });
}
