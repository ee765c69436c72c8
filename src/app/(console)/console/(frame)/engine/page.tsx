import type { Metadata } from "next";
import { EnginePage } from "../../../../../ui/console/engine/engine-page";

export const metadata: Metadata = { title: "Engine" };

export default EnginePage;
