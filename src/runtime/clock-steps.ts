/** Clocks that are slewed differ by less between two looks. */
const LEAST_STEP_US = 250_000;

/** Notices when a wall clock steps: it must pass as a clock without steps does. */
export class ClockSteps {
  private last: { wallUs: number; sentUs: number; receivedUs: number } | null = null;

  /** @param onStep by how much the clock has stepped */
  constructor(private readonly onStep: (stepMs: number) => void) {}

  /** @param wallUs what the wall clock said, between two times of a clock without steps */
  observe(wallUs: number, { sentUs, receivedUs }: { sentUs: number; receivedUs: number }): void {
    const { last } = this;
    this.last = { wallUs, sentUs, receivedUs };
    if (!last) return;
    const passedUs = wallUs - last.wallUs;
    const [least, most] = [sentUs - last.receivedUs, receivedUs - last.sentUs];
    if (passedUs >= least - LEAST_STEP_US && passedUs <= most + LEAST_STEP_US) return;
    this.onStep(Math.round((passedUs - (least + most) / 2) / 1_000));
  }
}
