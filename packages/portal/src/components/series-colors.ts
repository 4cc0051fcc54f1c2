const COUNT = 8

/** Colour of the n-th part or line; all after the eighth share one. */
export const seriesColor = (index: number): string => `var(--series-${index < COUNT ? index + 1 : 'rest'})`
