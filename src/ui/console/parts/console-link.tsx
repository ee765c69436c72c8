import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ComponentProps } from "react";

type ConsoleLinkProps = Omit<ComponentProps<typeof Link>, "href" | "prefetch"> & { href: string };

/** A page's script is fetched when somebody points at its link, not because the link is on the screen. */
export function ConsoleLink({ href, ...rest }: ConsoleLinkProps) {
  const router = useRouter();
  const warm = () => router.prefetch(href);
  return <Link {...rest} href={href} prefetch={false} onPointerEnter={warm} onFocus={warm} />;
}
