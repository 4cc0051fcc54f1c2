import type { Address } from '../domain/address.ts'
import type { Chain } from './chain.ts'

/** The kind of chain that a wallet is on: its address is written as theirs are. */
export function familyOf(wallet: Address): Chain['family'] {
  return wallet.startsWith('0x') ? 'evm' : 'solana'
}
