import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import type { Tokens } from '../../tokens.ts'
import type { Instrument } from '../families/family.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { Instruments } from './instruments.ts'
import type { Strangers } from './strangers.ts'

/**
 * Learns what contracts are that logs have named, before any read meets them: tokens, or instruments of a protocol.
 * Returns those that are instruments.
 */
export type Recognise = (chain: Chain, found: readonly EvmAddress[]) => Promise<ReadonlySet<EvmAddress>>

export function createRecognise({
  instruments,
  strangers,
  tokens,
  openReader,
}: {
  instruments: Instruments
  strangers: Strangers
  tokens: Tokens<EvmReader>
  openReader(chain: string): EvmReader
}): Recognise {
  return async function recognise(chain, found) {
    const known = await tokens.of(chain)
    const unlisted = found.filter((address) => !known.find(address)?.listed)
    if (unlisted.length === 0) return new Set()
    const reader = openReader(chain.key)
    const rows = await instruments.rowsOf(chain, unlisted)
    await Promise.all([
      known.learn(reader, unlisted),
      ...rows.map(async ({ adapter }) => {
        const recognised = await strangers.recognise(chain, adapter, reader, unlisted)
        await instruments.add(chain, adapter, reader, recognised)
      }),
    ])
    const all = new Set(
      (await instruments.rowsOf(chain, unlisted)).flatMap((row) => row.instruments?.map(addressOf) ?? []),
    )
    return new Set(unlisted.filter((address) => all.has(address)))
  }
}

const addressOf = ({ address }: Instrument) => address
