import { NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction, ReceiptLog } from '../../../domain/transaction.ts'
import { type TokenTransfer, transfersOf } from './changes.ts'

/**
 * Returns the logs without those of the fee. Celo's fee currencies (CIP-64): the first log debits the maximum. The last ones credit the refund, or everything
 * before they pay recipients. Sources: op-geth of Celo (`fee_currencies.go`), Mento's StableTokenV2 and V3, Circle's
 * FiatTokenCeloV2_2.
 */
export function tokenFeeOf({ from, logs }: ChainTransaction) {
  const [first] = logs
  const [debit] = first ? transfersOf(first) : []
  if (!debit || debit.from !== from || debit.to !== NATIVE) return undefined
  const isOfToken = (log: ReceiptLog) => log.address === debit.token
  const isCredit = (one: TokenTransfer) => one.from === NATIVE && one.to === from
  const start = logs.findLastIndex((log) => isOfToken(log) && transfersOf(log).some(isCredit))
  const credits = start < 0 ? [] : logs.slice(start)
  if (!credits.every(isOfToken)) return undefined
  const amountRaw = credits.flatMap(transfersOf).reduce((left, one) => {
    if (isCredit(one)) return left - one.amountRaw
    return one.from === from ? left + one.amountRaw : left
  }, debit.amountRaw)
  return { token: debit.token, amountRaw, logs: logs.slice(1, start < 0 ? undefined : start) }
}
