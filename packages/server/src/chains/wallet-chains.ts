import type { Address } from '../domain/address.ts'
import type { Chain } from './chain.ts'

/** Those of the chains that a wallet can be on: its address is written as theirs are. */
export function chainsOf<C extends Pick<Chain, 'family'>>(chains: readonly C[], wallet: Address): C[] {
  const family: Chain['family'] = wallet.startsWith('0x') ? 'evm' : 'solana'
  return chains.filter((chain) => chain.family === family)
}
