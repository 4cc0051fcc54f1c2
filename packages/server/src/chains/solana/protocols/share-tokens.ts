import type { PositionDraft } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { HeldMint, Receipt, SolanaAdapter, SolanaScope } from './adapter.ts'

export type Share = { label: string; pool: SolanaAddress; receipt: Receipt }

export type ShareScope = Omit<SolanaScope, 'wallet'> & { leftOut(why: UpstreamError): void }

/** Both share the requests of one read. */
export function readShareTokens(
  kind: PositionDraft['kind'],
  readShares: (scope: ShareScope) => Promise<ReadonlyMap<SolanaAddress, Share>>,
): Required<Pick<SolanaAdapter, 'positions' | 'receipts'>> {
  type Read = { shares: ReturnType<typeof readShares>; missing: UpstreamError[] }
  const reads = new WeakMap<SolanaReader, Read>()

  function read(scope: Omit<ShareScope, 'leftOut'>): Read {
    const begun = reads.get(scope.reader)
    if (begun) return begun
    const missing: UpstreamError[] = []
    const shares = readShares({ ...scope, leftOut: (why) => missing.push(why) })
    reads.set(scope.reader, { shares, missing })
    return { shares, missing }
  }

  return {
    async positions(scope) {
      const { shares: reading, missing } = read(scope)
      const shares = await reading
      for (const why of missing) scope.leftOut?.(why)
      return scope.held.flatMap(({ mint, amountRaw }) => {
        const share = shares.get(mint)
        if (!share) return []
        const { label, pool, receipt } = share
        return [{ kind, label, pool, supplied: receipt.decompose(amountRaw), receipts: [mint] }]
      })
    },
    receipts: async (scope) => new Map([...(await read(scope).shares)].map(([mint, { receipt }]) => [mint, receipt])),
  }
}

export const isFungible = ({ amountRaw, decimals }: HeldMint) =>
  amountRaw > 1n || (decimals !== undefined && decimals > 0)
