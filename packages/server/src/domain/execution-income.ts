/** One of the amounts is 0. */
export type ExecutionIncome = { tipsWei: bigint; mevWei: bigint; byBuilder: boolean }

export type ExecutedTransaction = {
  from: string
  /** Null: contract creation. */
  to: string | null
  valueWei: bigint
  succeeded: boolean
  gasUsed: bigint
  effectiveGasPriceWei: bigint
}

export type ExecutedBlock = {
  miner: string
  baseFeePerGasWei: bigint
  gasUsed: bigint
  transactions: readonly ExecutedTransaction[]
}

/** `deliveredWei`: a relay's report; else the last transfer from the fee recipient; else priority fees. */
export function executionIncome(block: ExecutedBlock, deliveredWei: bigint | null): ExecutionIncome {
  const paidWei = deliveredWei ?? builderPayment(block)
  if (paidWei !== null) return { tipsWei: 0n, mevWei: paidWei, byBuilder: true }
  const feesWei = block.transactions.reduce((sum, each) => sum + each.effectiveGasPriceWei * each.gasUsed, 0n)
  return { tipsWei: feesWei - block.baseFeePerGasWei * block.gasUsed, mevWei: 0n, byBuilder: false }
}

function builderPayment({ miner, transactions }: ExecutedBlock): bigint | null {
  const last = transactions.at(-1)
  const isPayment = last?.succeeded && last.from === miner && last.to !== null && last.to !== miner
  return isPayment && last.valueWei > 0n ? last.valueWei : null
}
