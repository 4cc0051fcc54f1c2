import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import type { FamilyHistory, NftStep, Step } from '../../history/family-history.ts'
import { addressTopic, numberTopic, TRANSFER, topicOf, word } from '../../history/log-words.ts'
import type { Deployment } from './deployment.ts'

/** Id, requestor, owner; stETH, shares. */
const REQUESTED = topicOf('WithdrawalRequested(uint256,address,address,uint256,uint256)')
/** Id, owner, receiver; coin. */
const CLAIMED = topicOf('WithdrawalClaimed(uint256,address,address,uint256)')

/**
 * stETH logs transfers in ether, rounded down from shares. The missing unit counts as growth of the balance. A request turns
 * stETH or wstETH into the NFT of the queue, and the NFT into coin when it is claimed, be it as much or less.
 */
export function lidoHistory({ stEth, wstEth, withdrawalQueue: queue }: Deployment): FamilyHistory {
  return {
    purposes: { staked: 'stake', wrapped: 'wrap' },
    nativePurposes: { staked: 'stake', wrapped: 'stake' },
    rebasing: ['staked'],
    ...(queue && requests({ queue, tokens: [stEth, wstEth] })),
  }
}

type Queue = { queue: EvmAddress; tokens: readonly EvmAddress[] }

function requests(lido: Queue): Pick<FamilyHistory, 'step' | 'nftSteps'> {
  return {
    step: (log, wallet, { earlier }) => givenAway(lido, log, { earlier: earlier(), wallet }),
    nftSteps: (logs, wallet) => stepsOf(lido, logs, wallet),
  }
}

type Around = { earlier: readonly ReceiptLog[]; wallet: EvmAddress }

/** A request that the wallet pays for in the name of another. */
function givenAway(lido: Queue, log: ReceiptLog, { earlier, wallet }: Around): Step | undefined {
  const owner = addressTopic(log, 3)
  const isOwn = log.topics[0] === REQUESTED && addressTopic(log, 2) === wallet
  const paid = isOwn && owner !== wallet ? paidFor(lido, earlier, wallet) : undefined
  return paid && { kind: 'send', ...paid, other: owner }
}

function stepsOf(lido: Queue, logs: readonly ReceiptLog[], wallet: EvmAddress): NftStep[] {
  return logs.flatMap((log, i) => {
    const tokenId = numberTopic(log, 1)
    if (log.address !== lido.queue || tokenId === undefined) return []
    const paid = payments(lido, log, { earlier: logs.slice(0, i), wallet })
    return paid
      ? [{ manager: lido.queue, tokenId, payers: [lido.queue], fees: [], reduced: false, purpose: 'unstake', ...paid }]
      : []
  })
}

function payments(
  lido: Queue,
  log: ReceiptLog,
  { earlier, wallet }: Around,
): Pick<NftStep, 'put' | 'principal'> | undefined {
  const [topic] = log.topics
  if (topic === REQUESTED && addressTopic(log, 3) === wallet) {
    const put = paidFor(lido, earlier, addressTopic(log, 2))
    return put && { put: [put], principal: [] }
  }
  const amountRaw = word(log, 0)
  const isPaid = topic === CLAIMED && addressTopic(log, 2) === wallet && addressTopic(log, 3) === wallet
  return isPaid && amountRaw ? { put: [], principal: [{ token: NATIVE, amountRaw }] } : undefined
}

/** The last payment of the requestor: the queue takes one before it logs a request. */
function paidFor(
  { queue, tokens }: Queue,
  earlier: readonly ReceiptLog[],
  requestor: EvmAddress | undefined,
): { token: EvmAddress; amountRaw: bigint } | undefined {
  const isPayment = (log: ReceiptLog) =>
    log.topics[0] === TRANSFER &&
    tokens.includes(log.address) &&
    addressTopic(log, 1) === requestor &&
    addressTopic(log, 2) === queue
  const paid = earlier.findLast(isPayment)
  const amountRaw = paid && word(paid, 0)
  return paid && amountRaw !== undefined ? { token: paid.address, amountRaw } : undefined
}
