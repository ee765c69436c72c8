import type { Metadata } from "next";
import { LatePage } from "../../../../../ui/console/late/late-page";

export const metadata: Metadata = { title: "Set aside" };

export default LatePage;
