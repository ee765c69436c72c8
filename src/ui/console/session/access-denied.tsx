"use client";

import { useQueryClient } from "@tanstack/react-query";
import type { Me } from "../contract";
import { WholePage } from "../frame/whole-page";
import { toast } from "../toast/toast";
import { signOut } from "./sign-out";

type AccessDeniedProps = { user: NonNullable<Me["user"]>; reason?: string };

/** For signed-in users whose role may not open the console. */
export function AccessDenied({ user, reason }: AccessDeniedProps) {
  const client = useQueryClient();
  return (
    <WholePage
      title="Access denied"
      text={
        <>
          You are signed in as <bdi className="text-ink">{user.username}</bdi> with the role {user.role}.{" "}
          {reason} An admin can give you another role on the Users page.
        </>
      }
    >
      <button
        type="button"
        className="btn btn-outline"
        onClick={() => void signOut(client).catch(() => toast.error("Signing out failed. Try again."))}
      >
        Sign out
      </button>
      <a className="btn btn-quiet" href="/welcome">
        Go to your account
      </a>
    </WholePage>
  );
}
