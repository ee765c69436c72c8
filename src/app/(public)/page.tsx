import { GateCard } from "../../ui/artwork/gate-card";
import { Notice } from "../../ui/notice";
import { SignupForm } from "../../ui/signup/signup-form";

export default function SignupPage() {
  return (
    <GateCard>
      <noscript>
        <style>{".needs-script { display: none }"}</style>
        <Notice
          state="JavaScript is off"
          title="This form needs a script"
          text="Names are checked as you type. Switch JavaScript on for this page, then load it again."
        />
      </noscript>
      <SignupForm />
    </GateCard>
  );
}
