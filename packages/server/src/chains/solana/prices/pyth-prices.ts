import type { Address } from '../../../domain/address.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import { attempt, UpstreamError } from '../../../lib/upstream-error.ts'
import { type PriceSource, type Quote, quoteEach, sameCoin } from '../../../prices/price-source.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import { remembered } from '../codec/address.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { feedAddresses, HEARTBEAT_SECONDS, isPriceAccount, type PythAnswer, readPythAccount } from './pyth-feed.ts'
import published from './pyth-feeds.json' with { type: 'json' }

const rows = published as unknown as readonly [symbol: string, token: string, feedId: string][]

/** USD feeds of Pyth's own pushers; others are stale or missing. Mints: published by Drift's SDK, Orca or Helium. */
export const PUBLISHED_PYTH_FEEDS: ReadonlyMap<Address, string> = new Map(
  rows.map(([, token, feedId]) => [token === 'native' ? NATIVE_SOL : token, feedId]),
)

/** A feed whose accounts all fail their checks is an error. */
export function createPythPrices(): PriceSource<SolanaReader> {
  const addressesOf = remembered(feedAddresses)
  return {
    name: 'pyth',
    byRow: true,
    open({ chain, reader, asOf, readAhead = true, witness }) {
      const answers = new Map<string, Promise<PythAnswer | undefined>>()
      const answerOf = (feedId: string) => {
        const answer = answers.get(feedId) ?? seenLater(readFeed(reader, feedId, addressesOf(feedId), asOf))
        answers.set(feedId, answer)
        return answer
      }
      if (readAhead) for (const feedId of PUBLISHED_PYTH_FEEDS.values()) answerOf(feedId)
      const feedOf = (token: Address) => {
        const row = sameCoin(chain, token).find((address) => PUBLISHED_PYTH_FEEDS.has(address))
        return row && PUBLISHED_PYTH_FEEDS.get(row)
      }
      const quoteOf = async (token: Address): Promise<Quote | undefined> => {
        const feedId = feedOf(token)
        const answer = feedId && (await answerOf(feedId))
        if (!answer) return undefined
        const { slot } = await reader.clock()
        const { account, usd, publishedAt } = answer
        const price = { token, usd, source: 'pyth', confidence: 1 }
        const updated = { block: slot, updatedAt: publishedAt, heartbeatSeconds: HEARTBEAT_SECONDS }
        witness?.({ ...price, path: [{ kind: 'feed', address: account, rate: usd, ...updated }] })
        return { price: { ...price, chain: chain.key, asOf: publishedAt, block: slot } }
      }
      return {
        expects: (token) => feedOf(token) !== undefined,
        quote: (tokens) => quoteEach(tokens, quoteOf),
      }
    },
  }
}

async function readFeed(
  reader: SolanaReader,
  feedId: string,
  addresses: readonly SolanaAddress[],
  asOf: number | Promise<number> | undefined,
): Promise<PythAnswer | undefined> {
  const [clock, accounts, time] = await Promise.all([reader.clock(), reader.accounts(addresses), asOf])
  const read = accounts.flatMap((account) =>
    account && isPriceAccount(account) ? [attempt(() => readPythAccount(account, feedId, time ?? clock.time))] : [],
  )
  const good = read.flatMap((each) => (each instanceof UpstreamError ? [] : [each]))
  const [newest] = good.toSorted((a, b) => b.publishedAt - a.publishedAt)
  const failure = read.find((each) => each instanceof UpstreamError)
  if (!newest && failure) throw failure
  return newest
}

export const pythSource: PriceSourceModule<SolanaReader> = {
  name: 'pyth',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: createPythPrices,
}
