import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, numberTopic, TRANSFER, word } from '../../decode/log-words.ts'
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
export function withdrawalNftHistory(nfts: WithdrawalNfts): Pick<ProtocolHistory, 'step' | 'nftSteps'> {
  return {
    step: (log, wallet, { earlier }) => givenAway(nfts, log, { earlier: earlier(), wallet }),
    nftSteps: (logs, wallet) => stepsOf(nfts, logs, wallet),
  }
}

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

type Around = { earlier: readonly ReceiptLog[]; wallet: EvmAddress }

function givenAway(nfts: WithdrawalNfts, log: ReceiptLog, { earlier, wallet }: Around): Step | undefined {
  const request = log.address === nfts.queue ? nfts.requested(log) : undefined
  if (!request || request.owner === wallet || (request.payer ?? wallet) !== wallet) return undefined
  const paid = paidBy(nfts, earlier, wallet)
  return paid && { kind: 'send', ...paid, other: request.owner }
}

function stepsOf(nfts: WithdrawalNfts, logs: readonly ReceiptLog[], wallet: EvmAddress): NftStep[] {
  const { queue, payers } = nfts
  return logs.flatMap((log, i) => {
    const tokenId = numberTopic(log, 1)
    if (log.address !== queue || tokenId === undefined) return []
    const paid = payments(nfts, log, { earlier: logs.slice(0, i), wallet })
    return paid ? [{ manager: queue, tokenId, payers, fees: [], reduced: false, purpose: 'unstake', ...paid }] : []
  })
}

function payments(
  nfts: WithdrawalNfts,
  log: ReceiptLog,
  { earlier, wallet }: Around,
): Pick<NftStep, 'put' | 'principal'> | undefined {
  const request = nfts.requested(log)
  if (request?.owner === wallet) {
    const put = paidBy(nfts, earlier, request.payer ?? wallet)
    return put && { put: [put], principal: [] }
  }
  const claim = nfts.claimed(log)
  const isPaid = claim?.owner === wallet && claim.receiver === wallet && claim.amountRaw > 0n
  return isPaid ? { put: [], principal: [{ token: NATIVE, amountRaw: claim.amountRaw }] } : undefined
}

/** The queue is paid before it logs. */
function paidBy(
  { tokens, takers }: WithdrawalNfts,
  earlier: readonly ReceiptLog[],
  payer: EvmAddress,
): { token: EvmAddress; amountRaw: bigint } | undefined {
  const paid = earlier.findLast((log) => {
    const to = addressTopic(log, 2)
    const isTransfer = log.topics[0] === TRANSFER && tokens.includes(log.address)
    return isTransfer && addressTopic(log, 1) === payer && to !== undefined && takers.includes(to)
  })
  const amountRaw = paid && word(paid, 0)
  return paid && amountRaw !== undefined ? { token: paid.address, amountRaw } : undefined
}
