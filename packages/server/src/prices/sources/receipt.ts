import { RECEIPT } from '../price-graph.ts'
import type { PriceSourceModule } from '../source-module.ts'

/** Receipt tokens, by what they stand for; the price graph itself does it. */
export const receiptSource: PriceSourceModule<unknown> = {
  name: RECEIPT,
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: () => RECEIPT,
}
