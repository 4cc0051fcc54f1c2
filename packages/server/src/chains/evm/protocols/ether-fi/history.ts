import { addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import { withdrawalNftHistory } from '../shared/withdrawal-nfts.ts'
import type { Deployment } from './deployment.ts'

/** Id; eETH, shares, owner. */
const REQUESTED = topicOf('WithdrawRequestCreated(uint32,uint256,uint256,address)')
/** Id; coin, shares, owner. */
const CLAIMED = topicOf('WithdrawRequestClaimed(uint32,uint256,uint256,address)')

/**
 * eETH logs transfers in ether, rounded down from shares. Anyone may claim for the owner, who alone is paid; the pool
 * paid before 2026.
 */
export function etherFiHistory(contracts: Deployment): ProtocolHistory {
  const { eEth, weEth, liquidityPool, withdrawRequestNft: queue, withdrawAdapter } = contracts
  return {
    purposes: { staked: 'stake' },
    nativePurposes: { staked: 'stake' },
    rebasing: ['staked'],
    contracts: [liquidityPool, withdrawAdapter],
    ...withdrawalNftHistory({
      queue,
      tokens: [eEth, weEth],
      takers: [queue, withdrawAdapter],
      payers: [queue, liquidityPool, withdrawAdapter],
      requested: (log) => (log.topics[0] === REQUESTED ? { owner: addressWord(log, 2) } : undefined),
      claimed: (log) => {
        const owner = addressWord(log, 2)
        return log.topics[0] === CLAIMED ? { owner, receiver: owner, amountRaw: word(log, 0) ?? 0n } : undefined
      },
    }),
  }
}
