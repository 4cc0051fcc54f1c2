import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { type TokenTransfer, transfersOf } from '../../decode/changes.ts'
import { numberTopic } from '../../decode/log-words.ts'
import type { NftStep, ProtocolHistory, Step } from '../../decode/protocol-history.ts'

export type WithdrawalNfts = {
  queue: EvmAddress
  tokens: readonly EvmAddress[]
  takers: readonly EvmAddress[]
  payers: readonly EvmAddress[]
  requested(log: ReceiptLog): { owner: EvmAddress | undefined; payer?: EvmAddress | undefined } | undefined
  claimed(
    log: ReceiptLog,
  ): { owner: EvmAddress | undefined; receiver: EvmAddress | undefined; amountRaw: bigint } | undefined
}

/** A request for another owner counts as sent. */
export const withdrawalNftHistory = (nfts: WithdrawalNfts) =>
  ({
    step: (log, wallet, { earlier }) => givenAway(nfts, log, wallet, earlier()),
    nftSteps: (logs, wallet) => stepsOf(nfts, logs, wallet),
  }) satisfies Partial<ProtocolHistory>

export const withdrawalDraft = (
  queue: EvmAddress,
  { tokenId, state, amount }: { tokenId: bigint; state: 'pending' | 'ready' | 'suspended'; amount: TokenAmount },
): PositionDraft => ({
  kind: 'locked',
  label: `Withdrawal, ${state}`,
  pool: queue,
  tokenId,
  supplied: [amount],
  receipts: [queue],
})

function givenAway(
  nfts: WithdrawalNfts,
  log: ReceiptLog,
  wallet: EvmAddress,
  earlier: readonly ReceiptLog[],
): Step | undefined {
  const request = log.address === nfts.queue ? nfts.requested(log) : undefined
  if (!request || request.owner === wallet || (request.payer ?? wallet) !== wallet) return undefined
  const paid = paidBy(nfts, earlier, wallet)
  return paid && { kind: 'send', ...paid, other: request.owner }
}

function stepsOf(nfts: WithdrawalNfts, logs: readonly ReceiptLog[], wallet: EvmAddress): NftStep[] {
  const { queue: manager, payers } = nfts
  return logs.flatMap((log, i): NftStep[] => {
    const tokenId = numberTopic(log, 1)
    if (log.address !== manager || tokenId === undefined) return []
    const step = { manager, tokenId, payers, fees: [], reduced: false, purpose: 'unstake' } as const
    const request = nfts.requested(log)
    if (request?.owner === wallet) {
      const put = paidBy(nfts, logs.slice(0, i), request.payer ?? wallet)
      return put ? [{ ...step, put: [put], principal: [] }] : []
    }
    const claim = nfts.claimed(log)
    if (claim?.owner !== wallet || claim.receiver !== wallet || claim.amountRaw === 0n) return []
    return [{ ...step, put: [], principal: [{ token: NATIVE, amountRaw: claim.amountRaw }] }]
  })
}

/** The queue is paid before it logs. */
function paidBy({ tokens, takers }: WithdrawalNfts, earlier: readonly ReceiptLog[], payer: EvmAddress) {
  const isPayment = ({ token, tokenId, from, to }: TokenTransfer) =>
    tokenId === null && tokens.includes(token) && from === payer && takers.includes(to)
  const paid = earlier.flatMap(transfersOf).findLast(isPayment)
  return paid && { token: paid.token, amountRaw: paid.amountRaw }
}
