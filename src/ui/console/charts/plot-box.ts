/** The margins of the lines within a plot, in pixels: recharts and the overlay must agree. */
export const PLOT = { top: 8, bottom: 20, left: 46, right: 10, rightWithLabels: 34 } as const;
