import type { PositionDraft } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { HeldMint, Receipt, SolanaFamily, SolanaScope } from './family.ts'

/** A token that stands for a part of a pool or a vault. */
export type Share = { label: string; pool: SolanaAddress; receipt: Receipt }

export type ShareScope = Omit<SolanaScope, 'wallet'> & { used: ReadonlySet<SolanaAddress> }

/** Positions and receipts of a family whose shares are tokens. Both of one read share the same requests. */
export function readShareTokens(
  kind: PositionDraft['kind'],
  readShares: (scope: ShareScope) => Promise<ReadonlyMap<SolanaAddress, Share>>,
): Required<Pick<SolanaFamily, 'positions' | 'receipts'>> {
  const reads = new WeakMap<SolanaReader, ReturnType<typeof readShares>>()

  function sharesOf(scope: ShareScope) {
    const begun = reads.get(scope.reader) ?? readShares(scope)
    reads.set(scope.reader, begun)
    return begun
  }

  return {
    async positions(scope) {
      const shares = await sharesOf(scope)
      return scope.held.flatMap(({ mint, amountRaw }) => {
        const share = shares.get(mint)
        if (!share) return []
        const { label, pool, receipt } = share
        return [{ kind, label, pool, supplied: receipt.decompose(amountRaw), receipts: [mint] }]
      })
    },
    receipts: async (scope) => new Map([...(await sharesOf(scope))].map(([mint, { receipt }]) => [mint, receipt])),
  }
}

export const isFungible = ({ amountRaw, decimals }: HeldMint) =>
  amountRaw > 1n || (decimals !== undefined && decimals > 0)
