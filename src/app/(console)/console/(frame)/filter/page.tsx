import type { Metadata } from "next";
import { FilterPage } from "../../../../../ui/console/filter/filter-page";

export const metadata: Metadata = { title: "Filter" };

export default FilterPage;
