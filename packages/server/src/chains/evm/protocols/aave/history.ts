import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'

type Growth = { owner: number; interest: number }

/**
 * v3 logs transfers of the amount plus or less the interest since the last one, and states that interest in the next
 * event.
 */
const GROWTH: ReadonlyMap<string, Growth> = new Map([
  [topicOf('Mint(address,address,uint256,uint256,uint256)'), { owner: 2, interest: 1 }],
  [topicOf('Burn(address,address,uint256,uint256,uint256)'), { owner: 1, interest: 1 }],
  // Debt at a stable rate.
  [topicOf('Mint(address,address,uint256,uint256,uint256,uint256,uint256,uint256)'), { owner: 2, interest: 2 }],
  [topicOf('Burn(address,uint256,uint256,uint256,uint256,uint256)'), { owner: 1, interest: 2 }],
])

/** v2 logs transfers of the amount alone, at both rates. */
export function aaveHistory(
  version: 'v2' | 'v3',
  contracts: readonly EvmAddress[],
  rewarders: readonly EvmAddress[],
): ProtocolHistory {
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
