import type { Metadata } from "next";
import { GatePage } from "../../../../../ui/console/gate/gate-page";

export const metadata: Metadata = { title: "Gate" };

export default GatePage;
