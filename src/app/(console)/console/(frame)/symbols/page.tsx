import type { Metadata } from "next";
import { SymbolsPage } from "../../../../../ui/console/symbols/symbols-page";

export const metadata: Metadata = { title: "Symbols" };

export default SymbolsPage;
