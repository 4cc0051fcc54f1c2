import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import type { Leg, Remainder } from '../../legs.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import { STAKE_PROGRAM } from '../protocols/native-stake/layout.ts'
import type { SolanaChange } from './changes.ts'

const NATIVE_STAKE = 'native_stake'

/** A withdrawal includes the rewards. */
export function stakeLegs(
  tx: SolanaTransaction,
  wallet: SolanaAddress,
  rest: Remainder<SolanaChange>,
): Leg<SolanaChange>[] {
  const stakes = stakeAccountsIn(tx, wallet)
  if (stakes.size === 0) return []
  const grown = tx.lamports
    .filter(({ account }) => stakes.has(account))
    .reduce((sum, { before, after }) => sum + after - before, 0n)
  const isSol = ({ token }: SolanaChange) => token === NATIVE_SOL
  const [type, moved] =
    grown > 0n
      ? (['STAKE', rest.takeUpTo(grown, (part) => isSol(part) && isGiven(part))] as const)
      : (['UNSTAKE', rest.takeUpTo(-grown, (part) => isSol(part) && isReceived(part))] as const)
  return moved.length > 0 ? [legOf(type, 'move', NATIVE_STAKE, moved)] : []
}

/** Splits and merges have a second stake account. */
function stakeAccountsIn({ instructions }: SolanaTransaction, wallet: SolanaAddress): ReadonlySet<SolanaAddress> {
  const named = instructions.flatMap(({ program, accounts }) => (program === STAKE_PROGRAM ? accounts.slice(0, 2) : []))
  return new Set(named.filter((account) => account !== wallet))
}
