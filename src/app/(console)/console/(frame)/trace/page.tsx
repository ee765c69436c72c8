import type { Metadata } from "next";
import { TracePage } from "../../../../../ui/console/trace/trace-page";

export const metadata: Metadata = { title: "Name trace" };

export default TracePage;
