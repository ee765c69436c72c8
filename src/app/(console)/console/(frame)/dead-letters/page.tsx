import type { Metadata } from "next";
import { DeadLettersPage } from "../../../../../ui/console/dead-letters/dead-letters-page";

export const metadata: Metadata = { title: "Dead letters" };

export default DeadLettersPage;
