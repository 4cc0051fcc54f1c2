import type { BeaconDevnet, EpochTruth, WithdrawalTruth } from '@coffer/beacon-devnet'

/** Penalty at an epoch's end for correlated slashings. */
type Correlation = { index: number; epoch: number; gwei: bigint }

/** In gwei, from states alone. */
export type ValidatorTruth = {
  /** Rewards less penalties. Votes count when credited, two transitions later. */
  earned(index: number, epoch: number): bigint
  effectiveBalance(index: number, epoch: number): bigint
  /** In the order of payment. */
  withdrawals(index: number): WithdrawalTruth[]
  /** After the genesis; negative where one returned to the queue. */
  deposits(index: number): bigint[]
  /** Last epoch whose votes are credited. */
  lastEpoch: number
}

const sum = (amounts: readonly { amountGwei: bigint }[]): bigint =>
  amounts.reduce((total, { amountGwei }) => total + amountGwei, 0n)

export async function validatorTruth(devnet: BeaconDevnet, correlation: Correlation): Promise<ValidatorTruth> {
  const epochs = await devnet.truth()
  const at = (epoch: number): EpochTruth => {
    const found = epochs[epoch]
    if (!found) throw new Error(`epoch ${epoch} is not over`)
    return found
  }
  const isOf =
    (index: number) =>
    ({ validatorIndex }: { validatorIndex: number }) =>
      validatorIndex === index
  const deposited = (index: number, epoch: number, by: 'block' | 'transition') =>
    sum(at(epoch).deposits.filter((deposit) => isOf(index)(deposit) && deposit.by === by))
  const consolidated = (index: number, epoch: number) => {
    const moves = at(epoch).consolidations
    return sum(moves.filter(({ target }) => target === index)) - sum(moves.filter(({ source }) => source === index))
  }
  const withdrawn = (index: number, epoch: number) => sum(at(epoch).withdrawals.filter(isOf(index)))
  /** Taken as its epoch ends, when the previous epoch's votes are credited. */
  const correlated = (index: number, epoch: number) =>
    correlation.index === index && correlation.epoch === epoch ? correlation.gwei : 0n

  return {
    effectiveBalance: (index, epoch) => at(epoch).effectiveBalanceGwei[index] ?? 0n,
    withdrawals: (index) => epochs.flatMap(({ withdrawals }) => withdrawals.filter(isOf(index))),
    deposits: (index) =>
      epochs.flatMap(({ deposits }) => deposits.filter(isOf(index)).map(({ amountGwei }) => amountGwei)),
    lastEpoch: epochs.length - 3,
    earned(index, epoch) {
      const start = (of: number) => at(of).startGwei[index] ?? 0n
      const end = (of: number) => at(of).endGwei[index] ?? 0n
      const byBlocks = end(epoch) - start(epoch) + withdrawn(index, epoch) - deposited(index, epoch, 'block')
      const applied = deposited(index, epoch + 2, 'transition') + consolidated(index, epoch + 2)
      const byVotes = start(epoch + 2) - end(epoch + 1) - applied
      return byBlocks + byVotes + correlated(index, epoch + 1) - correlated(index, epoch)
    },
  }
}
