import type { Metadata } from "next";
import { UsersPage } from "../../../../../ui/console/users/users-page";

export const metadata: Metadata = { title: "Users" };

export default UsersPage;
