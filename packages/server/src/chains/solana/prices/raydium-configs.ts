import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { addressBytes, bigEndianSeed, programAddress } from '../codec/address.ts'
import type { PoolProgram } from './solana-pool.ts'

export const CONFIG_SEED = { name: 'amm_config', discriminator: 'dd8DvH45THQ' } as const

export const poolAddresses =
  (program: SolanaAddress, configs: () => readonly SolanaAddress[]): PoolProgram['addresses'] =>
  ([mint0, mint1]) =>
    configs().map((config) =>
      programAddress(program, ['pool', addressBytes(config), addressBytes(mint0), addressBytes(mint1)]),
    )

export function configAddresses(program: SolanaAddress, count: number): () => readonly SolanaAddress[] {
  let known: readonly SolanaAddress[] | undefined
  return () => {
    known ??= Array.from({ length: count }, (_, index) =>
      programAddress(program, [CONFIG_SEED.name, bigEndianSeed(index, 2)]),
    )
    return known
  }
}
