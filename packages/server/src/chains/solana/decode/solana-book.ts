import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { TransactionType } from '../../../domain/transaction.ts'
import { LENDING_PROGRAM, VAULTS_PROGRAM } from '../protocols/jupiter-lend/layout.ts'
import { WHIRLPOOL_PROGRAM } from '../protocols/orca-whirlpools/adapter.ts'
import { solanaAdapters } from '../protocols/protocols.ts'

export type KnownProgram = { protocol: string; into: TransactionType; back: TransactionType }

export type SolanaBook = {
  programOf(program: SolanaAddress): KnownProgram | undefined
  /** Bait, worth nothing. */
  isSpam(mint: SolanaAddress): boolean
}

const STAKING: readonly string[] = ['spl_stake_pool', 'marinade', 'sanctum', 'jupiter_dao']

const OTHERS: readonly (readonly [program: SolanaAddress, protocol: string])[] = [
  [WHIRLPOOL_PROGRAM, 'orca'],
  [LENDING_PROGRAM, 'jupiter_lend'],
  [VAULTS_PROGRAM, 'jupiter_lend'],
  ['SPoo1Ku8WFXoNDMHPsrGSTSG1Y47rzgn41SLUNakuHy', 'spl_stake_pool'],
]

const searched = solanaAdapters.flatMap(({ key, searched: programs = [] }) =>
  programs.map((program) => [program, key] as const),
)
const programs = new Map([...OTHERS, ...searched].map(([program, key]) => [program, knownProgram(key)]))

export const programOf = (program: SolanaAddress): KnownProgram | undefined => programs.get(program)

function knownProgram(protocol: string): KnownProgram {
  if (STAKING.includes(protocol)) return { protocol, into: 'STAKE', back: 'UNSTAKE' }
  return { protocol, into: 'DEPOSIT', back: 'WITHDRAW' }
}
