import type { ReactNode } from "react";
import { Frame } from "../../../../ui/console/frame/frame";
import { Providers } from "../../../../ui/console/providers";

export default function FrameLayout({ children }: { children: ReactNode }) {
  return (
    <Providers>
      <Frame>{children}</Frame>
    </Providers>
  );
}
