import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ComponentProps } from "react";

type ConsoleLinkProps = Omit<ComponentProps<typeof Link>, "href" | "prefetch"> & { href: string };

/** Prefetches the page when the link gets the pointer or focus, not when it is on the screen. */
export function ConsoleLink({ href, ...rest }: ConsoleLinkProps) {
  const router = useRouter();
  const warm = () => router.prefetch(href);
  return <Link {...rest} href={href} prefetch={false} onPointerEnter={warm} onFocus={warm} />;
}
