import type { Metadata } from "next";
import { OutboxPage } from "../../../../../ui/console/outbox/outbox-page";

export const metadata: Metadata = { title: "Outbox" };

export default OutboxPage;
