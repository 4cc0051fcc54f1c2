import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { programAddress } from '../codec/program-address.ts'

/** The accounts in which Raydium's programs keep the fees of their pools. */
export const CONFIG_SEED = { name: 'amm_config', discriminator: 'dd8DvH45THQ' } as const

export function bigEndian(value: number, bytes: 2 | 4): Uint8Array {
  const seed = new Uint8Array(4)
  new DataView(seed.buffer).setInt32(0, value)
  return seed.subarray(4 - bytes)
}

/** Where the first so many configurations of a program are. Worked out when first asked for. */
export function configAddresses(program: SolanaAddress, count: number): () => readonly SolanaAddress[] {
  let known: readonly SolanaAddress[] | undefined
  return () => {
    known ??= Array.from({ length: count }, (_, index) =>
      programAddress(program, [CONFIG_SEED.name, bigEndian(index, 2)]),
    )
    return known
  }
}
