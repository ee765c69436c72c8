import type { Metadata } from "next";
import { GateCard } from "../../../ui/artwork/gate-card";
import { Welcome } from "../../../ui/welcome/welcome";

export const metadata: Metadata = { title: "Welcome", robots: { index: false } };

export default function WelcomePage() {
  return (
    <GateCard>
      <Welcome />
    </GateCard>
  );
}
