import type { EvmAddress } from '../domain/evm-address.ts'

export type Bridge = {
  /** snake_case; must differ from protocol keys. */
  key: string
  name: string
  /** By chain key, lower case. */
  contracts: Readonly<Record<string, readonly EvmAddress[]>>
}
