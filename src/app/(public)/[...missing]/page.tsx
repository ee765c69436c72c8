import { notFound } from "next/navigation";

/** With two root layouts, this page decides which one renders an unknown address. */
export default function Missing() {
  notFound();
}
