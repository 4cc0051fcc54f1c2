import { type Address, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import type { SolanaChain } from '../chain.ts'

const METADATA_PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s')
const METADATA_BYTES = 679
/** First byte of the account: token metadata. */
const METADATA_KIND = 4
/** Texts are padded with NULs to these lengths. */
const NAME_BYTES = 32
const SYMBOL_BYTES = 10
const URI_BYTES = 200

export type TokenDescription = { name: string; symbol: string; uri: string }

/** Prefixes the text with its length and pads it. */
const padded = (text: string, bytes: number): Buffer => {
  const field = Buffer.alloc(4 + bytes)
  field.writeUInt32LE(bytes, 0)
  field.write(text, 4, 'utf8')
  return field
}

/** Writes the account where wallets look for a classic token's name. The local chain lacks its program. */
export const placeMetadata = async (chain: SolanaChain, mint: Address, authority: Address, text: TokenDescription) => {
  const bytes = (key: Address) => Uint8Array.from(getAddressEncoder().encode(key))
  const seeds = ['metadata', bytes(METADATA_PROGRAM), bytes(mint)]
  const [account] = await getProgramDerivedAddress({ programAddress: METADATA_PROGRAM, seeds })
  const data = Buffer.alloc(METADATA_BYTES)
  Buffer.concat([
    Uint8Array.from([METADATA_KIND]),
    bytes(authority),
    bytes(mint),
    padded(text.name, NAME_BYTES),
    padded(text.symbol, SYMBOL_BYTES),
    padded(text.uri, URI_BYTES),
  ]).copy(data)
  chain.setAccount(account, { owner: METADATA_PROGRAM, data: new Uint8Array(data) })
  return account
}
