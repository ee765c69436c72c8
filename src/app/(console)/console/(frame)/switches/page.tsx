import type { Metadata } from "next";
import { SwitchesPage } from "../../../../../ui/console/switches/switches-page";

export const metadata: Metadata = { title: "Kill switches" };

export default SwitchesPage;
