import type { Metadata } from "next";
import { AuditPage } from "../../../../../ui/console/audit/audit-page";

export const metadata: Metadata = { title: "Audit log" };

export default AuditPage;
