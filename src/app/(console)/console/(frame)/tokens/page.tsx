import type { Metadata } from "next";
import { TokensPage } from "../../../../../ui/console/tokens/tokens-page";

export const metadata: Metadata = { title: "Service tokens" };

export default TokensPage;
