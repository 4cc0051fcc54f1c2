import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { attempt, UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaReader, TokenAccount } from '../reader/solana-reader.ts'
import { decodeTokenAccount } from '../token-account.ts'

/** Token accounts by address. What is none is left out: nothing can be paid from it. Rejects when they cannot be read. */
export async function readVaults(
  reader: SolanaReader,
  addresses: readonly SolanaAddress[],
): Promise<ReadonlyMap<SolanaAddress, TokenAccount>> {
  const accounts = await reader.accounts(addresses)
  const decoded = accounts.flatMap((account) => (account ? [attempt(() => decodeTokenAccount(account))] : []))
  return new Map(decoded.flatMap((vault) => (vault instanceof UpstreamError ? [] : [[vault.address, vault] as const])))
}
