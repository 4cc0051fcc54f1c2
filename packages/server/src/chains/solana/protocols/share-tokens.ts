import type { PositionDraft } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import { type Layout, ofKind, openAccount } from '../codec/account-data.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import type { HeldMint, MintLeads, PositionScope, Receipt, SolanaScope } from './adapter.ts'

export type Share = Receipt & { label: string; pool: SolanaAddress }

type ReceiptScope = Omit<SolanaScope, 'wallet'>
export type ShareScope = ReceiptScope & { leftOut(why: UpstreamError): void }

export function readShareTokens(
  kind: PositionDraft['kind'],
  readShares: (scope: ShareScope) => Promise<ReadonlyMap<SolanaAddress, Share>>,
) {
  type Read = { shares: Promise<ReadonlyMap<SolanaAddress, Share>>; missing: UpstreamError[] }
  const reads = new WeakMap<SolanaReader, Read>()

  function read(scope: ReceiptScope): Read {
    const begun = reads.get(scope.reader)
    if (begun) return begun
    const missing: UpstreamError[] = []
    const shares = readShares({ ...scope, leftOut: (why) => missing.push(why) })
    reads.set(scope.reader, { shares, missing })
    return { shares, missing }
  }

  return {
    async positions(scope: PositionScope): Promise<PositionDraft[]> {
      const { shares: reading, missing } = read(scope)
      const shares = await reading
      for (const why of missing) scope.leftOut?.(why)
      return scope.held.flatMap(({ mint, amountRaw }) => {
        const share = shares.get(mint)
        if (!share) return []
        return [{ kind, label: share.label, pool: share.pool, supplied: share.decompose(amountRaw), receipts: [mint] }]
      })
    },
    receipts: (scope: ReceiptScope) => read(scope).shares,
  }
}

export const fungibleMints = (held: readonly HeldMint[]): SolanaAddress[] =>
  held.filter(({ amountRaw, decimals = 0 }) => amountRaw > 1n || decimals > 0).map(({ mint }) => mint)

export const withoutLeads = (mints: readonly SolanaAddress[], leads: MintLeads) =>
  mints.filter((mint) => leads.get(mint) === undefined)

export const withLeads = (mints: readonly SolanaAddress[], leads: MintLeads) =>
  mints.flatMap((mint) => {
    const lead = leads.get(mint)
    return lead ? [{ mint, lead }] : []
  })

/** By the mint of their shares. `head`: of their first bytes. */
export async function listPools(
  reader: SolanaReader,
  program: SolanaAddress,
  head: Layout<{ sharesMint: readonly ['key', number] }>,
): Promise<ReadonlyMap<SolanaAddress, SolanaAddress>> {
  const heads = await reader.programAccounts(program, [ofKind(head)], head.minLength)
  const [, offset] = head.fields.sharesMint
  return new Map(heads.map((account) => [openAccount(account, head).key(offset), account.address]))
}
