import type { Metadata } from "next";
import { ReservedPage } from "../../../../../ui/console/reserved/reserved-page";

export const metadata: Metadata = { title: "Reserved words" };

export default ReservedPage;
