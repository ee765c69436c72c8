import { notFound } from "next/navigation";

/** With two root layouts no single one can frame an unknown address: this page says which one does. */
export default function Missing() {
  notFound();
}
