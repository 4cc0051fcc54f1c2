import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { Deployment } from './pools.ts'

export const STAKED = topicOf('Staked(address,uint256)')
const WITHDRAWN = topicOf('Withdrawn(address,uint256)')
const PAID = topicOf('RewardPaid(address,uint256)')
/** Pools that list rewards: earner, token, recipient. */
const LISTED_PAID = topicOf('RewardPaid(address,address,address,uint256)')
/** The cvxCRV wrapper: the recipient follows the amount. */
const WRAPPER_PAID = topicOf('RewardPaid(address,address,uint256,address)')
const LOCKER_PAID = topicOf('RewardPaid(address,address,uint256)')
const LOCKED = topicOf('Staked(address,uint256,uint256,uint256,uint256)')
const PLAIN_LOCKED = topicOf('Staked(address,uint256,uint256)')
const UNLOCKED = topicOf('Withdrawn(address,uint256,bool)')

export function convexHistory({ locker, bonus }: Deployment): ProtocolHistory {
  return {
    purposes: { vault: 'stake', wrapper: 'stake' },
    step(log, wallet, context) {
      if (addressTopic(log, 1) !== wallet) return undefined
      const step = log.address === locker?.address ? lockStep(log, locker.token) : stakeStep(log, context)
      return step ?? paidSteps(log, wallet, context, bonus)
    },
  }
}

/** An expired lock that is locked again is taken and put without a transfer. */
function lockStep(log: ReceiptLog, token: EvmAddress): Step | undefined {
  const position = { contract: log.address, id: 0n }
  const step = (kind: 'put' | 'take', amountRaw = 0n) =>
    ({ kind, purpose: 'stake', position, token, amountRaw }) as const
  switch (log.topics[0]) {
    case LOCKED:
    case PLAIN_LOCKED:
      return step('put', word(log, 0))
    case UNLOCKED:
      return step('take', word(log, 0))
    default:
      return undefined
  }
}

function stakeStep(log: ReceiptLog, { underlyings: [token], data }: LogContext): Step | undefined {
  const amountRaw = word(log, 0)
  if (!token || data['silent'] === undefined || amountRaw === undefined) return undefined
  const stake = { purpose: 'stake', position: { contract: log.address, id: 0n }, token, amountRaw } as const
  if (log.topics[0] === STAKED) return { kind: 'put', ...stake }
  return log.topics[0] === WITHDRAWN ? { kind: 'take', ...stake } : undefined
}

function paidSteps(log: ReceiptLog, wallet: EvmAddress, { before, data }: LogContext, bonus?: EvmAddress): Step[] {
  const claim = (token: EvmAddress | undefined, amountRaw = 0n): Step[] =>
    token && amountRaw > 0n ? [{ kind: 'claim', token, amountRaw }] : []
  switch (log.topics[0]) {
    case PAID: {
      const [reward] = (data['main'] ?? '').split(' ').filter((token) => token !== '')
      // The bonus has its own transfer right before the log.
      const minted =
        before && before.address === bonus ? transfersOf(before).find(({ to }) => to === wallet) : undefined
      return reward ? [...claim(evmAddress(reward), word(log, 0)), ...claim(bonus, minted?.amountRaw)] : []
    }
    case LOCKER_PAID:
      return claim(addressTopic(log, 2), word(log, 0))
    case LISTED_PAID:
      return addressTopic(log, 3) === wallet ? claim(addressTopic(log, 2), word(log, 0)) : []
    case WRAPPER_PAID:
      return addressWord(log, 1) === wallet ? claim(addressTopic(log, 2), word(log, 0)) : []
    default:
      return []
  }
}
