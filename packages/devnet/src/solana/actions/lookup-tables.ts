import { type Address, address, getAddressEncoder } from '@solana/kit'
import type { SolanaChain } from '../chain.ts'

const LOOKUP_TABLE_PROGRAM = address('AddressLookupTab1e1111111111111111111111111')
const HEADER_BYTES = 56
const TABLE_KIND = 1
const NEVER = 2n ** 64n - 1n
const DEACTIVATION_AT = 4

/** Immutable, usable at once. */
export const placeLookupTable = (chain: SolanaChain, table: Address, addresses: readonly Address[]): void => {
  const encoded = addresses.map((each) => getAddressEncoder().encode(each))
  const data = Buffer.concat([new Uint8Array(HEADER_BYTES), ...encoded.map((each) => Uint8Array.from(each))])
  data.writeUInt32LE(TABLE_KIND, 0)
  data.writeBigUInt64LE(NEVER, DEACTIVATION_AT)
  chain.setAccount(table, { owner: LOOKUP_TABLE_PROGRAM, data: new Uint8Array(data) })
}
