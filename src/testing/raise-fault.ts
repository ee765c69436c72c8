import type { Pool } from "../store/postgres";

export type Fault = { table: string; code: string; on?: "INSERT" | "UPDATE"; times?: number };

/** The first `times` statements of this kind on the table fail with the code. A sequence counts: it is not rolled back. */
export async function raiseFault(
  pool: Pool,
  { table, code, on = "INSERT", times = 1_000 }: Fault,
): Promise<void> {
  await pool.query(`
    CREATE SEQUENCE IF NOT EXISTS fault_count;
    ALTER SEQUENCE fault_count RESTART;
    CREATE OR REPLACE FUNCTION raise_fault() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('public.fault_count') <= ${times} THEN RAISE EXCEPTION 'a fault' USING ERRCODE = '${code}'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER raise_fault BEFORE ${on} ON ${table} FOR EACH ROW EXECUTE FUNCTION raise_fault();
  `);
}

export async function endFault(pool: Pool): Promise<void> {
  await pool.query("DROP FUNCTION IF EXISTS raise_fault() CASCADE");
}
