import type { Address } from '../../domain/address.ts'
import { type Decimal, toRaw } from '../../domain/decimal.ts'
import type { Token } from '../../domain/token.ts'
import { seenLater } from '../../lib/concurrency.ts'
import { untilAborted } from '../../lib/time-limit.ts'
import { UpstreamError, upstreamOnly } from '../../lib/upstream-error.ts'
import type { PriceGraph } from '../../prices/price-graph.ts'
import {
  chainedWays,
  type FactsFailure,
  listingWay,
  type PricedBlock,
  type PriceFacts,
  type PriceWay,
  type SourceOutcome,
} from '../../prices/price-way.ts'
import { NO_RECEIPTS, type ReceiptDirectory } from '../../prices/receipts.ts'
import type { Chain } from '../chain.ts'
import { ofEnabled } from '../chain-catalog.ts'
import type { ChainTokens, Tokens } from '../tokens.ts'

/** `amount` in token units, sold at once. `owner`: the holding wallet. */
type AskedPrice = { token: Address; amount: Decimal; owner?: Address | undefined }

export type NoFacts = { failure: 'not-a-token' | FactsFailure }

/** Rejects with `UpstreamError` only if the chain is not enabled. */
export type ExplainPrice = (chain: string, asked: AskedPrice) => Promise<PriceFacts | NoFacts>

/** For all reads together: a person waits. */
const LIMIT_MS = 8_000
const MARGIN_MS = 1_000
const MOST_TOKENS = 20

type Means<R> = {
  chains: ReadonlyMap<string, Chain>
  read<T>(chain: string, work: (reader: R) => Promise<T>): Promise<T>
  tokens: Tokens<R>
  prices: PriceGraph<R>
  blockOf(reader: R): Promise<PricedBlock>
  receiptsOf?(reader: R, of: { chain: Chain; token: Address; tokens: ChainTokens<R> }): Promise<ReceiptDirectory>
}

export function createExplainPrice<R>(means: Means<R>): ExplainPrice {
  return async function explainPrice(chainKey, asked) {
    const chain = ofEnabled(means.chains, chainKey)
    const tokens = await means.tokens.of(chain)
    const inTime = within(LIMIT_MS)
    const work = (reader: R) => explainWith(means, { chain, tokens, reader, inTime }, asked)
    try {
      return await within(LIMIT_MS + MARGIN_MS)(means.read(chainKey, work))
    } catch (error) {
      return { failure: expectedFailure(error) }
    }
  }
}

type InTime = <T>(work: Promise<T>) => Promise<T>

function within(limitMs: number): InTime {
  const deadline = AbortSignal.timeout(limitMs)
  return (work) => untilAborted(deadline, seenLater(work))
}

async function explainWith<R>(
  { prices, blockOf, receiptsOf }: Means<R>,
  { chain, tokens, reader, inTime }: { chain: Chain; tokens: ChainTokens<R>; reader: R; inTime: InTime },
  { token: address, amount, owner }: AskedPrice,
): Promise<PriceFacts | NoFacts> {
  await inTime(tokens.learn(reader, [address]))
  const found = tokens.find(address)
  if (!found) return { failure: 'not-a-token' }
  const receipts = receiptsOf ? await inTime(receiptsOf(reader, { chain, token: address, tokens })) : NO_RECEIPTS
  const ways: PriceWay[] = []
  const scope = {
    chain,
    reader,
    readAhead: false as const,
    isExpected: () => true,
    witness: (way: PriceWay) => void ways.push(way),
  }
  const session = prices.open({ ...scope, ...(owner !== undefined && { owner }) }, receipts)
  const reading = orFailure(inTime(blockOf(reader)))
  let left = MOST_TOKENS - 1

  async function explain(token: Token, soldRaw: bigint): Promise<PriceFacts> {
    const isSpam = tokens.isSpam(token) && receipts.underlyings(token.address) === undefined
    if (isSpam) return { ...NOTHING, token, isSpam, block: blockIn(await reading) }
    // Asks all sources in one tick.
    const asking = session.ask(token).map(async ({ source, answer }) => {
      const said = await orFailure(inTime(answer))
      return { source, said }
    })
    const pricing = orFailure(inTime(session.price([{ token, amountRaw: soldRaw }])))
    const [priced, answers, block] = await Promise.all([pricing, Promise.all(asking), reading])
    const all = session.partsOf(token.address) ?? []
    const parts = all.slice(0, left)
    left -= parts.length
    const listed = answers.flatMap(({ said }) => (said && 'quote' in said ? listingWay(said.quote.price, ways) : []))
    return {
      token,
      isSpam,
      block: blockIn(block),
      price: priced instanceof Map ? priced.get(token.address) : undefined,
      ways: chainedWays(token.address, [...ways, ...listed]),
      sources: answers.map(({ source, said }) => ({ source, outcome: outcomeOf(said) })),
      isCut: parts.length < all.length,
      parts: await Promise.all(
        parts.map(async (part) => ({ amount: part.amount, facts: await explain(part.token, 0n) })),
      ),
    }
  }
  return explain(found, toRaw(amount, found.decimals))
}

const NOTHING = { price: undefined, ways: [], sources: [], parts: [], isCut: false }

type Failed = { failure: FactsFailure }

const orFailure = <T>(work: Promise<T>): Promise<T | Failed> =>
  work.catch((error: unknown) => ({ failure: expectedFailure(error) }))

const blockIn = (read: PricedBlock | Failed) => ('failure' in read ? undefined : read)

function outcomeOf(said: { quote: unknown } | { error: unknown } | Failed | undefined): SourceOutcome['outcome'] {
  if (said === undefined) return 'unknown'
  if ('failure' in said) return said.failure
  if (!('error' in said)) return 'answered'
  // A chain's answer may cause any error.
  return said.error instanceof UpstreamError ? said.error.reason : 'refused'
}

function expectedFailure(error: unknown): FactsFailure {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout'
  return upstreamOnly(error).reason
}
