import type { Metadata } from "next";
import { StreamPage } from "../../../../../ui/console/stream/stream-page";

export const metadata: Metadata = { title: "Stream" };

export default StreamPage;
