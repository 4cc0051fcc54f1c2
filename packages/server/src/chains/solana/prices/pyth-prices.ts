import type { Address } from '../../../domain/address.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import { attempt, UpstreamError } from '../../../lib/upstream-error.ts'
import { type PriceSource, type Quote, quoteEach, sameCoin } from '../../../prices/price-source.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { PUBLISHED_PYTH_FEEDS } from './published-pyth-feeds.ts'
import { feedAddresses, HEARTBEAT_SECONDS, isPriceAccount, type PythAnswer, readPythAccount } from './pyth-feed.ts'

/** SOL's row prices wrapped SOL too. */
export type PythRow = { chain: string; token: string; feedId: string }

/** A feed whose accounts all fail their checks is an error. `asOf` replaces the cluster's time. */
export function createPythPrices(rows: readonly PythRow[]): PriceSource<SolanaReader> {
  const addressesOf = rememberedAddresses()
  return {
    name: 'pyth',
    byRow: true,
    open({ chain, reader, asOf, readAhead = true, witness }) {
      const ofChain = rows.filter((row) => row.chain === chain.key)
      const feeds = new Map<Address, string>(ofChain.map(({ token, feedId }) => [token, feedId]))
      const answers = new Map<string, Promise<PythAnswer | undefined>>()
      const answerOf = (feedId: string) => {
        const answer =
          answers.get(feedId) ?? seenLater(readFeed({ reader, feedId, addresses: addressesOf(feedId), asOf }))
        answers.set(feedId, answer)
        return answer
      }
      if (readAhead) for (const feedId of feeds.values()) answerOf(feedId)
      const feedOf = (token: Address) => {
        const row = sameCoin(chain, token).find((address) => feeds.has(address))
        return row && feeds.get(row)
      }
      const quoteOf = async (token: Address): Promise<Quote | undefined> => {
        const feedId = feedOf(token)
        const answer = feedId && (await answerOf(feedId))
        if (!answer) return undefined
        const { slot } = await reader.clock()
        const { account, usd, publishedAt } = answer
        witness?.({
          token,
          source: 'pyth',
          usd,
          confidence: 1,
          path: [
            {
              kind: 'feed',
              address: account,
              rate: usd,
              block: slot,
              updatedAt: publishedAt,
              heartbeatSeconds: HEARTBEAT_SECONDS,
            },
          ],
        })
        return {
          price: { chain: chain.key, token, usd, source: 'pyth', confidence: 1, asOf: publishedAt, block: slot },
        }
      }
      return {
        expects: (token) => feedOf(token) !== undefined,
        quote: (tokens) => quoteEach(tokens, quoteOf),
      }
    },
  }
}

async function readFeed({
  reader,
  feedId,
  addresses,
  asOf,
}: {
  reader: SolanaReader
  feedId: string
  addresses: readonly SolanaAddress[]
  asOf: number | undefined
}): Promise<PythAnswer | undefined> {
  const [clock, accounts] = await Promise.all([reader.clock(), reader.accounts(addresses)])
  const read = accounts.flatMap((account) =>
    account && isPriceAccount(account) ? [attempt(() => readPythAccount(account, feedId, asOf ?? clock.time))] : [],
  )
  const good = read.flatMap((each) => (each instanceof UpstreamError ? [] : [each]))
  const [newest] = good.toSorted((a, b) => b.publishedAt - a.publishedAt)
  if (newest) return newest
  const [failure] = read.flatMap((each) => (each instanceof UpstreamError ? [each] : []))
  if (failure) throw failure
  return undefined
}

/** Deriving addresses costs more than storing them. */
function rememberedAddresses(): (feedId: string) => readonly SolanaAddress[] {
  const known = new Map<string, readonly SolanaAddress[]>()
  return (feedId) => {
    const addresses = known.get(feedId) ?? feedAddresses(feedId)
    known.set(feedId, addresses)
    return addresses
  }
}

export const pythSource: PriceSourceModule<SolanaReader> = {
  name: 'pyth',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  create: () => createPythPrices(PUBLISHED_PYTH_FEEDS),
}
