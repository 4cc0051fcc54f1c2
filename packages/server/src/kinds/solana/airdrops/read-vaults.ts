import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { SolanaReader, TokenAccount } from '../reader/solana-reader.ts'
import { decodeTokenAccount } from '../token-account.ts'

/** Token accounts by address. What is none is left out: nothing can be paid from it. Rejects when they cannot be read. */
export async function readVaults(
  reader: SolanaReader,
  addresses: readonly SolanaAddress[],
): Promise<ReadonlyMap<SolanaAddress, TokenAccount>> {
  const accounts = await reader.accounts(addresses)
  const vaults = accounts.flatMap((account) => (account ? (decoded(account) ?? []) : []))
  return new Map(vaults.map((vault) => [vault.address, vault]))
}

function decoded(account: SolanaAccount): TokenAccount | undefined {
  try {
    return decodeTokenAccount(account)
  } catch (error) {
    if (error instanceof UpstreamError) return undefined
    throw error
  }
}
