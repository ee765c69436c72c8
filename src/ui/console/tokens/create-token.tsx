"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import { ROLES, type Role } from "../contract";
import { Dialog } from "../parts/dialog";
import { explainFailure } from "../parts/explain-failure";
import { FailureNote } from "../parts/failure-note";
import { SubmitFoot } from "../parts/submit-foot";
import { Secret } from "./secret";

const DAY_MS = 86_400_000;
const LIVES = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "a year"],
  ["", "for ever"],
] as const;

type Grantable = Exclude<Role, "member">;
const GRANTABLE = ROLES.filter((role): role is Grantable => role !== "member");

export function CreateToken({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Create a service token">
      <CreateForm onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({ onClose }: { onClose: () => void }) {
  const id = useId();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Grantable>("viewer");
  const [days, setDays] = useState("90");
  const create = useMutation({
    mutationFn: () =>
      consoleApi.token.create.mutate({
        name: name.trim(),
        role,
        expiresAt: days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : undefined,
      }),
    onSettled: () => void client.invalidateQueries({ queryKey: ["token.list"] }),
  });
  if (create.data) return <Secret name={name.trim()} secret={create.data.secret} onClose={onClose} />;
  const failure = create.error && explainFailure(create.error, true);
  const missing = name.trim() === "" ? "Type a name first." : undefined;

  return (
    <form
      className="contents"
      onSubmit={event => {
        event.preventDefault();
        if (!missing && !create.isPending) create.mutate();
      }}
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
          <span className="label">May do what this role may</span>
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
          <span className="label">Valid for</span>
          <select className="input" value={days} onChange={event => setDays(event.target.value)}>
            {LIVES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {(role === "admin" || role === "operator") && (
        <p className="consequence" data-tone="warning">
          Whoever holds this token can change what an {role} can change, without signing in.
        </p>
      )}
      {failure && <FailureNote failure={failure} />}
      <SubmitFoot
        action="token.manage"
        blocked={missing}
        verb={"Create the token"}
        isPending={create.isPending}
        onClose={onClose}
      />
    </form>
  );
}
