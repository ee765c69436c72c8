import type { Metadata } from "next";
import { LatePage } from "../../../../../ui/console/dead-letters/dead-letters-page";

export const metadata: Metadata = { title: "Set aside" };

export default LatePage;
