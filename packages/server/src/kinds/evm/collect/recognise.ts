import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import type { Chain } from '../../chain.ts'
import type { Tokens } from '../../tokens.ts'
import type { Instrument } from '../families/family.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { type Instruments, withKnownFacts } from './instruments.ts'
import type { Strangers } from './strangers.ts'

/** Most listed tokens are none of a protocol, and every wallet has some: each is asked about once a day. */
const LISTED_MS = 24 * 3_600_000
const MOST_LISTED = 20_000
/** A stake of a share of a pool over another pool. */
const DEEPEST = 4

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
  clock,
}: {
  instruments: Instruments
  strangers: Strangers
  tokens: Tokens<EvmReader>
  openReader(chain: string): EvmReader
  clock: Clock
}): Recognise {
  const listed = createKept<true>({ most: MOST_LISTED, clock, freshMs: LISTED_MS })
  const note = async () => true as const
  const nameOf = (chain: Chain, address: EvmAddress) => `${chain.key} ${address}`

  return async function recognise(chain, found) {
    const known = await tokens.of(chain)
    const isListed = (address: EvmAddress) => known.find(address)?.listed ?? false
    const isDue = (address: EvmAddress) => !isListed(address) || !listed.find(nameOf(chain, address), note)
    const asked = found.filter(isDue)
    if (asked.length === 0) return new Set()
    const reader = openReader(chain.key)
    const rows = await instruments.rowsOf(chain, asked)
    await inAndBehind(asked, async (contracts) => {
      const due = contracts.filter(isDue)
      const [, ...recognised] = await Promise.all([
        known.learn(reader, due),
        ...rows.map(async ({ adapter, instruments: before }) => {
          const own = withKnownFacts(before, await strangers.recognise(chain, adapter, reader, due))
          await instruments.add(chain, adapter, reader, own)
          return own
        }),
      ])
      await Promise.all(due.filter(isListed).map((address) => listed.renew(nameOf(chain, address), note)))
      return recognised.flat()
    })
    const all = new Set(
      (await instruments.rowsOf(chain, asked)).flatMap((row) => row.instruments?.map(addressOf) ?? []),
    )
    return new Set(asked.filter((address) => all.has(address)))
  }
}

/**
 * Asks about contracts, then about what those stand for that were recognised: a wallet may have a stake of a share that
 * was never sent to it. Each contract is asked about once.
 */
export async function inAndBehind(
  contracts: readonly EvmAddress[],
  ask: (contracts: readonly EvmAddress[]) => Promise<readonly Instrument[]>,
): Promise<void> {
  const seen = new Set<EvmAddress>([NATIVE, ...contracts])
  for (let next = contracts, depth = 0; next.length > 0 && depth < DEEPEST; depth += 1) {
    const behind = (await ask(next)).flatMap(({ underlyings }) => underlyings)
    next = [...new Set(behind)].filter((address) => !seen.has(address))
    for (const address of next) seen.add(address)
  }
}

const addressOf = ({ address }: Instrument) => address
