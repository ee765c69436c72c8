import { defineConfig } from "prisma/config";

// `prisma generate` needs no database; `prisma migrate deploy` takes DATABASE_URL.
export default defineConfig({
  schema: "../prisma/schema.prisma",
  migrations: { path: "../prisma/migrations" },
  datasource: { url: process.env.DATABASE_URL ?? "" },
});
