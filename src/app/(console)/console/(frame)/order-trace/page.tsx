import type { Metadata } from "next";
import { OrderTracePage } from "../../../../../ui/console/order-trace/order-trace-page";

export const metadata: Metadata = { title: "Order trace" };

export default OrderTracePage;
