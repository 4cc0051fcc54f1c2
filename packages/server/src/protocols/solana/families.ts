import { nativeStake } from './families/native-stake.ts'
import type { SolanaFamily } from './solana-family.ts'

/** Every family that reads Solana wallets. A new one is a line here. */
export const solanaFamilies: readonly SolanaFamily[] = [nativeStake]
