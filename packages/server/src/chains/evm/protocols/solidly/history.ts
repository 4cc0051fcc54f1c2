import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, NftStep, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { VoteNfts } from './locks.ts'

/** Payer, owner of the stake. */
export const GAUGE_DEPOSIT = topicOf('Deposit(address,address,uint256)')
const GAUGE_WITHDRAW = topicOf('Withdraw(address,uint256)')
const GAUGE_CLAIM = topicOf('ClaimRewards(address,uint256)')
/** Claimer, recipient. */
const POOL_CLAIM = topicOf('Claim(address,address,uint256,uint256)')

/** Only the pool names the contract that pays fees. Gauges issue no token. */
export function solidlyHistory(voter: EvmAddress, nfts: VoteNfts | undefined): ProtocolHistory {
  return {
    purposes: { pool: 'liquidity', lock: 'stake' },
    contracts: [voter, ...(nfts ? [nfts.distributor] : [])],
    step(log, wallet, context) {
      if (nfts && log.address === nfts.escrow) return lockStep(log, wallet, nfts, context.earlier)
      return context.data['pool'] === undefined ? poolSteps(log, wallet, context) : gaugeStep(log, wallet, context)
    },
    nftSteps: (logs, wallet) => (nfts ? lockPayments(logs, wallet, nfts) : []),
  }
}

function poolSteps(log: ReceiptLog, wallet: EvmAddress, { underlyings }: LogContext): Step[] {
  if (log.topics[0] !== POOL_CLAIM || addressTopic(log, 2) !== wallet) return []
  return underlyings.flatMap((token, place) => {
    const amountRaw = word(log, place) ?? 0n
    return amountRaw > 0n ? [{ kind: 'claim', token, amountRaw }] : []
  })
}

function gaugeStep(log: ReceiptLog, wallet: EvmAddress, { underlyings, data }: LogContext): Step | undefined {
  const [, , reward] = underlyings
  const amountRaw = word(log, 0)
  if (amountRaw === undefined || data['pool'] === undefined || reward === undefined) return undefined
  const token = evmAddress(data['pool'])
  const stake = { purpose: 'stake', position: { contract: log.address, id: 0n }, token, amountRaw } as const
  const first = addressTopic(log, 1)
  switch (log.topics[0]) {
    case GAUGE_DEPOSIT: {
      const owner = addressTopic(log, 2)
      if (owner === wallet) return { kind: 'put', ...stake }
      return first === wallet ? { kind: 'send', token, amountRaw, other: owner } : undefined
    }
    case GAUGE_WITHDRAW:
      return first === wallet ? { kind: 'take', ...stake } : undefined
    case GAUGE_CLAIM:
      return first === wallet ? { kind: 'claim', token: reward, amountRaw } : undefined
    default:
      return undefined
  }
}

/** Voter, pool, lock. */
export const VOTED = topicOf('Voted(address,address,uint256,uint256,uint256,uint256)')
/** Payer, lock, reason. */
const LOCKED = topicOf('Deposit(address,uint256,uint8,uint256,uint256,uint256)')
const TAKEN_OUT = topicOf('Withdraw(address,uint256,uint256,uint256)')
/** Caller, source, target. */
const MERGED = topicOf('Merge(address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)')
/** The lock, and the two that it became. */
const SPLIT = topicOf('Split(uint256,uint256,uint256,address,uint256,uint256,uint256,uint256)')

/** A rebase is not a payment of the wallet. */
function lockPayments(logs: readonly ReceiptLog[], wallet: EvmAddress, locks: VoteNfts): NftStep[] {
  return logs.flatMap((log, i): NftStep[] => {
    const tokenId = numberTopic(log, 2)
    const amountRaw = word(log, 0) ?? 0n
    if (log.address !== locks.escrow || tokenId === undefined || amountRaw === 0n) return []
    const amount = { token: locks.token, amountRaw }
    const facts = { fees: [], reduced: false, purpose: 'stake' } as const
    const step = { manager: log.address, tokenId, payers: [log.address], ...facts }
    if (log.topics[0] === TAKEN_OUT) return [{ ...step, put: [], principal: [amount] }]
    if (log.topics[0] !== LOCKED || addressTopic(log, 1) === locks.distributor) return []
    const owner = ownerOfNew(logs.slice(0, i), log.address, tokenId) ?? wallet
    return owner === wallet ? [{ ...step, put: [amount], principal: [] }] : []
  })
}

function lockStep(
  log: ReceiptLog,
  wallet: EvmAddress,
  { token }: VoteNfts,
  earlier: () => readonly ReceiptLog[],
): Step | undefined {
  const [first, second, third] = [numberTopic(log, 1), numberTopic(log, 2), numberTopic(log, 3)]
  const [amountRaw = 0n, one = 0n, other = 0n] = [word(log, 0), word(log, 1), word(log, 2)]
  if (first === undefined || second === undefined || third === undefined) return undefined
  const lock = { kind: 'reissue', purpose: 'stake', manager: log.address, token } as const
  switch (log.topics[0]) {
    case MERGED:
      return { ...lock, tokenId: second, into: [{ tokenId: third, amountRaw }] }
    case SPLIT: {
      const into = [
        { tokenId: second, amountRaw: one },
        { tokenId: third, amountRaw: other },
      ]
      return { ...lock, tokenId: first, into }
    }
    case LOCKED: {
      const owner = ownerOfNew(earlier(), log.address, second)
      const isGift = addressTopic(log, 1) === wallet && owner !== undefined && owner !== wallet
      return isGift ? { kind: 'send', token, amountRaw, other: owner } : undefined
    }
    default:
      return undefined
  }
}

const ownerOfNew = (earlier: readonly ReceiptLog[], escrow: EvmAddress, tokenId: bigint): EvmAddress | undefined =>
  earlier
    .flatMap(transfersOf)
    .findLast((sent) => sent.token === escrow && sent.from === NATIVE && sent.tokenId === tokenId)?.to
