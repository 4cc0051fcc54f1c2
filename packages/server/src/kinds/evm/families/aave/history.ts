import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import type { FamilyHistory } from '../../history/family-history.ts'
import { addressTopic, topicOf, word } from '../../history/log-words.ts'

/** Where an event names the owner (a topic) and by how much interest its balance grew (a word of the data). */
type Growth = { owner: number; interest: number }

/**
 * v3 logs a transfer of the amount plus (or less) the interest since the owner's last one, and says that interest in the
 * event right after it.
 */
const GROWTH: ReadonlyMap<string, Growth> = new Map([
  [topicOf('Mint(address,address,uint256,uint256,uint256)'), { owner: 2, interest: 1 }],
  [topicOf('Burn(address,address,uint256,uint256,uint256)'), { owner: 1, interest: 1 }],
  // Debt at a stable rate.
  [topicOf('Mint(address,address,uint256,uint256,uint256,uint256,uint256,uint256)'), { owner: 2, interest: 2 }],
  [topicOf('Burn(address,uint256,uint256,uint256,uint256,uint256)'), { owner: 1, interest: 2 }],
])

/** aTokens and debt tokens. v2 logs transfers of the amount alone, at both rates. */
export function aaveHistory(
  version: 'v2' | 'v3',
  contracts: readonly EvmAddress[],
  rewarders: readonly EvmAddress[],
): FamilyHistory {
  return {
    purposes: { supply: 'lend', debt: 'borrow' },
    rebasing: ['supply', 'debt'],
    contracts,
    rewarders,
    ...(version === 'v3' && { accrued }),
  }
}

function accrued(log: ReceiptLog, wallet: EvmAddress): bigint {
  const growth = GROWTH.get(log.topics[0] ?? '')
  if (!growth || addressTopic(log, growth.owner) !== wallet) return 0n
  return word(log, growth.interest) ?? 0n
}
