/** Which lots leave first; `AVG` keeps none apart. */
export const COST_METHODS = ['AVG', 'FIFO', 'LIFO', 'HIFO'] as const
export type CostMethod = (typeof COST_METHODS)[number]
