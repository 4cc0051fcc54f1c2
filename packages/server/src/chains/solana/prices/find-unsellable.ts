import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { mintsAmong, type TokenAccount } from '../codec/token-program.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'

/** An authority can stop or take these, or an account of the owner is frozen. A freeze outlasts its authority. */
export async function findUnsellable(
  reader: SolanaReader,
  owner: SolanaAddress | undefined,
  unlisted: readonly SolanaAddress[],
): Promise<Set<SolanaAddress>> {
  if (unlisted.length === 0) return new Set()
  const [mints, accounts] = await Promise.all([reader.accounts(unlisted), owner ? accountsOf(reader, owner) : []])
  const frozen = new Set(accounts.flatMap(({ frozen, mint }) => (frozen ? [mint] : [])))
  const known = mintsAmong(mints)
  return new Set(unlisted.filter((token) => frozen.has(token) || !known.get(token)?.isFree))
}

/** Without a listing endpoint the read has no holdings either. */
async function accountsOf(reader: SolanaReader, owner: SolanaAddress): Promise<TokenAccount[]> {
  try {
    return await reader.tokenAccounts(owner)
  } catch (error) {
    if (error instanceof UpstreamError && error.reason === 'not-allowed') return []
    throw error
  }
}
