import type { MintLeads, SolanaAdapter } from '../adapter.ts'
import { readShareTokens } from '../share-tokens.ts'
import { readLendingShares } from './earn.ts'
import { readVaultPositions } from './vaults.ts'

/** One unit of a jlToken looks like an NFT, so leads are separate. Health needs the vaults' oracles and is left out. */
export function createJupiterLend(lendings: MintLeads = new Map(), vaults: MintLeads = new Map()): SolanaAdapter {
  const lending = readShareTokens('lending', (scope) => readLendingShares(scope, lendings))
  return {
    name: 'jupiter_lend',
    key: 'jupiter_lend',
    title: 'Jupiter Lend',
    siteUrl: 'https://jup.ag/lend',
    receipts: lending.receipts,

    async positions(scope) {
      const [lent, owed] = await Promise.all([lending.positions(scope), readVaultPositions(scope, vaults)])
      return [...lent, ...owed]
    },
  }
}
