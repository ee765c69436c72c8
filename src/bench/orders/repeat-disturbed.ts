import { Disturbance } from "./disturbance";

const ATTEMPTS = 3;

/**
 * Runs a part of a benchmark again when the machine disturbed it, and notes each disturbance.
 * @throws Error with the reason of the last attempt
 */
export async function repeatDisturbed<T>(
  part: string,
  run: () => Promise<T>,
  disturbances: string[],
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof Disturbance)) throw error;
      disturbances.push(`${part}: ${error.message}`);
      if (attempt < ATTEMPTS) continue;
      throw new Error(
        `${part} was disturbed ${ATTEMPTS} times, the last time because ${error.message}. Run it again on a machine with less load.`,
      );
    }
  }
}
