import { GateCard } from "../ui/gate/gate-card";
import { SignupForm } from "../ui/signup/signup-form";

export default function SignupPage() {
  return (
    <GateCard>
      <noscript>
        <style>{".needs-script { display: none }"}</style>
        <p className="m-auto max-w-72 text-center text-ink-soft">
          Signing up needs JavaScript: names are checked while you type. Please switch it on and load this
          page again.
        </p>
      </noscript>
      <SignupForm />
    </GateCard>
  );
}
