import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { lockPayments, lockStep } from './lock-history.ts'
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
