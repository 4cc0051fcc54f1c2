import type { Address } from '../../../domain/address.ts'
import { type Decimal, ONE } from '../../../domain/decimal.ts'
import { evmAddress } from '../../../domain/evm-address.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import { type PriceSource, type Quote, quoteEach, sameCoin } from '../../../prices/price-source.ts'
import type { PriceWay } from '../../../prices/price-way.ts'
import type { PriceSourceModule } from '../../../prices/source-module.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import {
  checkFeed,
  type FeedAnswer,
  type FeedLeg,
  type FeedRow,
  foreseeFeed,
  PUBLISHED_FEEDS,
  readFeed,
  STALE,
} from './chainlink-feed.ts'
import type { EvmSourceContext } from './sources.ts'

export function createChainlinkPrices(rows: readonly FeedRow[]): PriceSource<EvmReader> {
  return {
    name: 'chainlink',
    byRow: true,
    open({ chain, reader, asOf, readAhead = true, isFirst = false, witness }) {
      const isPast = asOf !== undefined
      const legOf = ({ pastSeconds, ...leg }: FeedLeg) =>
        isPast && pastSeconds ? { ...leg, heartbeatSeconds: pastSeconds } : leg
      const ofChain = rows.filter((row) => row.chain === chain.key)
      const paths = new Map<Address, readonly FeedLeg[]>(
        ofChain.map(({ token, path }) => [evmAddress(token), path.map(legOf)]),
      )
      const answers = new Map<Address, Promise<PathAnswer | undefined>>()
      const answerOf = (row: Address) => {
        const legs = paths.get(row) ?? []
        const answer = answers.get(row) ?? seenLater(multiplied(legs.map((leg) => readFeed(reader, leg))))
        answers.set(row, answer)
        return answer
      }
      for (const { token } of ofChain.filter(({ onDemand }) => readAhead && !onDemand)) answerOf(evmAddress(token))
      for (const leg of isFirst ? ofChain.flatMap(({ path }) => path) : []) foreseeFeed(reader, leg)
      const rowOf = (token: Address) => sameCoin(chain, token).find((address) => paths.has(address))

      const quoteOf = async (token: Address): Promise<Quote | undefined> => {
        const row = rowOf(token)
        if (row && witness) (await waysOf(token, reader, paths.get(row))).forEach(witness)
        const answer = row && (await answerOf(row))
        if (!answer) return undefined
        const { changedAt, ...figure } = answer
        return { price: { chain: chain.key, token, source: 'chainlink', confidence: 1, ...figure }, changedAt }
      }
      return {
        expects: (token) => rowOf(token) !== undefined,
        quote: (tokens) => quoteEach(tokens, quoteOf),
      }
    },
  }
}

async function waysOf(token: Address, reader: EvmReader, path: readonly FeedLeg[] = []): Promise<PriceWay[]> {
  const answers = await Promise.all(path.map((leg) => checkFeed(reader, leg)))
  const legs = answers.flatMap((answer, i) => (answer && path[i] ? [{ ...answer, leg: path[i] }] : []))
  if (legs.length === 0 || legs.length < path.length) return []
  const rejected = legs.find((each) => each.rejected !== undefined)?.rejected
  const way: PriceWay = {
    token,
    source: 'chainlink',
    confidence: rejected === undefined ? 1 : 0,
    usd: legs.reduce((product, { value }) => product.times(value), ONE),
    path: legs.map(({ leg, value, updatedAt, block }) => ({
      kind: 'feed',
      address: evmAddress(leg.aggregator),
      rate: value,
      block,
      updatedAt,
      heartbeatSeconds: leg.heartbeatSeconds,
    })),
  }
  if (rejected === undefined) return [way]
  return [{ ...way, refusal: rejected === STALE ? 'stale' : 'invalid' }]
}

/** `asOf`: oldest leg; `changedAt`: newest. */
type PathAnswer = { usd: Decimal; asOf: number; changedAt: number; block: bigint }

async function multiplied(legs: Promise<FeedAnswer | undefined>[]): Promise<PathAnswer | undefined> {
  const answers = (await Promise.all(legs)).flatMap((answer) => answer ?? [])
  const last = answers.at(-1)
  if (!last || answers.length < legs.length) return undefined
  const usd = answers.reduce((product, { value }) => product.times(value), ONE)
  const times = answers.map(({ updatedAt }) => updatedAt)
  return { usd, asOf: Math.min(...times), changedAt: Math.max(...times), block: last.block }
}

export const chainlinkSource: PriceSourceModule<EvmReader, EvmSourceContext> = {
  name: 'chainlink',
  leavesNode: false,
  needsNoState: false,
  settings: [],
  // The operator's feeds replace published ones.
  create: ({ feeds }) => createChainlinkPrices([...PUBLISHED_FEEDS, ...feeds]),
}
