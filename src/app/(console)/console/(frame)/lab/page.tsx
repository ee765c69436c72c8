import type { Metadata } from "next";
import { LabPage } from "../../../../../ui/console/lab/lab-page";

export const metadata: Metadata = { title: "Scenario lab" };

export default LabPage;
