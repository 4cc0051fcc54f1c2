import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import { cleanText, NAME_LENGTH, SYMBOL_LENGTH } from '../../../domain/token-text.ts'
import type { BoundedMap } from '../../../lib/bounded-map.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { decodable, type SolanaAccount } from '../codec/account-data.ts'
import { decodeMetadata, type Mint, type MintText, metadataAddress, mintsAmong } from '../codec/token-program.ts'
import type { SolanaReader } from './solana-reader.ts'

const SHORT = 6
const DERIVED_AT_ONCE = 1_000

/** Mints never get a multiplier later. */
export type UnscaledMints = BoundedMap<SolanaAddress, true>

export async function readMints(
  reader: SolanaReader,
  addresses: readonly SolanaAddress[],
  unscaled: UnscaledMints,
): Promise<Map<SolanaAddress, Mint>> {
  const mints = mintsAmong(await reader.accounts(addresses))
  for (const { address, multiplierAt } of mints.values()) if (!multiplierAt) unscaled.set(address, true)
  return mints
}

/** Untrusted: text is cut and stripped of invisible characters. Null: no mint. */
export async function readMintTokens(
  reader: SolanaReader,
  chain: string,
  addresses: readonly SolanaAddress[],
): Promise<Map<SolanaAddress, Token | null>> {
  const [accounts, metadata] = await Promise.all([reader.accounts(addresses), readMetadata(reader, addresses)])
  const mints = mintsAmong(accounts)
  return new Map(
    addresses.map((address, i) => {
      const mint = mints.get(address)
      // An unknown layout means no metadata.
      const text = mint?.text ?? decodable([metadata[i] ?? null], decodeMetadata)[0]
      return [address, mint ? tokenOf(chain, mint, text) : null] as const
    }),
  )
}

/** Deriving addresses takes longer than a node's answer. */
async function readMetadata(reader: SolanaReader, mints: readonly SolanaAddress[]): Promise<(SolanaAccount | null)[]> {
  let turn = Promise.resolve()
  const answers = pagesOf(mints, DERIVED_AT_ONCE).map((part) => {
    turn = turn.then(() => nextTurn())
    return turn.then(() => reader.accounts(part.map(metadataAddress)))
  })
  return (await Promise.all(answers)).flat()
}

function tokenOf(chain: string, { address, decimals }: Mint, text: MintText | undefined): Token {
  const symbol = cleanText(text?.symbol ?? '', SYMBOL_LENGTH) || address.slice(0, SHORT)
  const name = cleanText(text?.name ?? '', NAME_LENGTH) || symbol
  return { chain, address, symbol, name, decimals, listed: false }
}
