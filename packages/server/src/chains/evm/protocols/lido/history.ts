import type { EvmAddress } from '../../../../domain/evm-address.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import { type WithdrawalNfts, withdrawalNftHistory } from '../shared/withdrawal-nfts.ts'
import type { Deployment } from './deployment.ts'

/** ID, requestor, owner; stETH, shares. */
const REQUESTED = topicOf('WithdrawalRequested(uint256,address,address,uint256,uint256)')
/** ID, owner, receiver; ETH. */
const CLAIMED = topicOf('WithdrawalClaimed(uint256,address,address,uint256)')

/** stETH logs transfers rounded down. The missing unit counts as growth. */
export function lidoHistory({ stEth, wstEth, withdrawalQueue: queue }: Deployment): ProtocolHistory {
  return {
    purposes: { staked: 'stake', wrapped: 'wrap' },
    nativePurposes: { staked: 'stake', wrapped: 'stake' },
    rebasing: ['staked'],
    ...(queue && withdrawalNftHistory(nftsOf(queue, [stEth, wstEth]))),
  }
}

const nftsOf = (queue: EvmAddress, tokens: readonly EvmAddress[]): WithdrawalNfts => ({
  queue,
  tokens,
  takers: [queue],
  payers: [queue],
  requested: (log) =>
    log.topics[0] === REQUESTED ? { owner: addressTopic(log, 3), payer: addressTopic(log, 2) } : undefined,
  claimed: (log) =>
    log.topics[0] === CLAIMED
      ? { owner: addressTopic(log, 2), receiver: addressTopic(log, 3), amountRaw: word(log, 0) ?? 0n }
      : undefined,
})
