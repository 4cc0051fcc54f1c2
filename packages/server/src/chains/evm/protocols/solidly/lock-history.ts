import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, numberTopic, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { NftStep, Step } from '../../decode/protocol-history.ts'

/** Voter, pool, lock. */
export const VOTED = topicOf('Voted(address,address,uint256,uint256,uint256,uint256)')
/** Payer, lock, reason. */
const LOCKED = topicOf('Deposit(address,uint256,uint8,uint256,uint256,uint256)')
const TAKEN_OUT = topicOf('Withdraw(address,uint256,uint256,uint256)')
/** Caller, source, target. */
const MERGED = topicOf('Merge(address,uint256,uint256,uint256,uint256,uint256,uint256,uint256)')
/** The lock, and the two that it became. */
const SPLIT = topicOf('Split(uint256,uint256,uint256,address,uint256,uint256,uint256,uint256)')

type Locks = { escrow: EvmAddress; token: EvmAddress; distributor: EvmAddress }

/** A rebase is not a payment of the wallet. */
export function lockPayments(logs: readonly ReceiptLog[], wallet: EvmAddress, locks: Locks): NftStep[] {
  return logs.flatMap((log, i): NftStep[] => {
    const tokenId = numberTopic(log, 2)
    const amountRaw = word(log, 0) ?? 0n
    if (log.address !== locks.escrow || tokenId === undefined || amountRaw === 0n) return []
    const amount = { token: locks.token, amountRaw }
    const step = {
      manager: log.address,
      tokenId,
      payers: [log.address],
      fees: [],
      reduced: false,
      purpose: 'stake',
    } as const
    if (log.topics[0] === TAKEN_OUT) return [{ ...step, put: [], principal: [amount] }]
    if (log.topics[0] !== LOCKED || addressTopic(log, 1) === locks.distributor) return []
    const owner = ownerOfNew(logs.slice(0, i), log.address, tokenId) ?? wallet
    return owner === wallet ? [{ ...step, put: [amount], principal: [] }] : []
  })
}

export function lockStep(
  log: ReceiptLog,
  wallet: EvmAddress,
  { token }: Locks,
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

function ownerOfNew(earlier: readonly ReceiptLog[], escrow: EvmAddress, tokenId: bigint): EvmAddress | undefined {
  const made = earlier.findLast(
    (log) =>
      log.address === escrow &&
      log.topics[0] === TRANSFER &&
      numberTopic(log, 1) === 0n &&
      numberTopic(log, 3) === tokenId,
  )
  return made && addressTopic(made, 2)
}
