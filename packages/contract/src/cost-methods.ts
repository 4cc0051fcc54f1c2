/** Order in which lots leave; `AVG` does not separate lots. */
export const COST_METHODS = ['AVG', 'FIFO', 'LIFO', 'HIFO'] as const
export type CostMethod = (typeof COST_METHODS)[number]
