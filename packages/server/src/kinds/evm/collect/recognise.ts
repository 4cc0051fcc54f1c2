import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import type { Tokens } from '../../tokens.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { Instruments } from './instruments.ts'
import type { Strangers } from './strangers.ts'

/** Learns what contracts are that logs have named, before any read meets them: tokens, or instruments of a protocol. */
export type Recognise = (chain: Chain, found: readonly EvmAddress[]) => Promise<void>

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
    if (unlisted.length === 0) return
    const reader = openReader(chain.key)
    const rows = await instruments.of(chain, unlisted)
    await Promise.all([
      known.learn(reader, unlisted),
      ...rows.map(async ({ adapter }) => {
        const recognised = await strangers.recognise(chain, adapter, reader, unlisted)
        await instruments.add(chain, adapter, reader, recognised)
      }),
    ])
  }
}
