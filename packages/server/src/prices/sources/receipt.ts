import { RECEIPT } from '../price-graph.ts'
import type { PriceSourceModule } from '../source-module.ts'

/** Done by the price graph. */
export const receiptSource: PriceSourceModule<unknown> = {
  name: RECEIPT,
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: () => RECEIPT,
}
