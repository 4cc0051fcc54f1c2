import type { EvmAddress } from '../domain/evm-address.ts'

/** A way between chains, by the contracts that take coins in or pay them out. */
export type Bridge = {
  /** snake_case, apart from the keys of protocols. */
  key: string
  name: string
  /** By chain key. Lower case. */
  contracts: Readonly<Record<string, readonly EvmAddress[]>>
}
