import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'

const STAKED = topicOf('Staked(address,uint256)')
const WITHDRAWN = topicOf('Withdrawn(address,uint256)')
const REWARD_PAID = topicOf('RewardPaid(address,uint256)')

export const stakingRewardsHistory: ProtocolHistory = { purposes: {}, step }

function step(log: ReceiptLog, wallet: EvmAddress, { underlyings }: LogContext): Step | undefined {
  const [staked, rewarded] = underlyings
  const amountRaw = word(log, 0)
  if (!staked || amountRaw === undefined || addressTopic(log, 1) !== wallet) return undefined
  const moved = { purpose: 'stake', position: { contract: log.address, id: 0n }, token: staked, amountRaw } as const
  switch (log.topics[0]) {
    case STAKED:
      return { kind: 'put', ...moved }
    case WITHDRAWN:
      return { kind: 'take', ...moved }
    case REWARD_PAID:
      return rewarded && { kind: 'claim', token: rewarded, amountRaw }
    default:
      return undefined
  }
}
