import type { Address } from '../../../domain/address.ts'
import type { Price } from '../../../domain/price.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { PriceSession } from '../../../prices/price-graph.ts'
import type { PriceRequest } from '../../../prices/price-source.ts'
import type { Chain } from '../../chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { PastAmounts, PricesAt } from '../../chain-reading.ts'
import { lacksBlock } from '../../rpc/json-rpc.ts'
import type { KnownTokens } from '../../tokens.ts'
import { ContractRevert, type EvmReader } from '../reader/evm-reader.ts'
import type { EvmContext } from './evm-context.ts'
import { type Owners, ownersOf, receiptDirectory } from './receipt-directory.ts'

const AT_ONCE = 8
/** Another node may answer by then. */
const ASKED_AGAIN_AFTER_MS = 60 * 60 * 1_000
const NO_STATE =
  'no node has the state of this past block: it and older ones are priced by the sources that need no state'

export function createPricesAt(context: EvmContext): PricesAt {
  const { chains, tokens, protocolContracts } = context
  const gate = createGate(AT_ONCE)
  const dropped: DroppedStates = new Map()

  return function pricesAt(chainKey) {
    const lasting: LastingPrices = new Map()
    return async (asked) => {
      const chain = ofEnabled(chains, chainKey)
      const encountered = asked.flatMap(({ amounts }) => [...amounts.keys()])
      const [rows, ofChain] = await Promise.all([protocolContracts.allRowsOf(chain, encountered), tokens.of(chain)])
      await ofChain.load(encountered)
      const known = { chain, owners: ownersOf(rows), tokens: ofChain, dropped, lasting }
      const answers = new Map<PastAmounts, ReadonlyMap<Address, Price>>()
      const read = async (one: PastAmounts) => answers.set(one, await pricesOfBlock(context, known, one))
      for (const together of coarseToFine(asked.toSorted((a, b) => Number(b.block - a.block)))) {
        await Promise.all(together.map((one) => gate(() => read(one))))
      }
      forgetAfter(lasting, Math.min(...asked.map(({ time }) => time)))
      return asked.map((one) => answers.get(one) ?? new Map())
    }
  }
}

type Known = { chain: Chain; owners: Owners; tokens: KnownTokens; dropped: DroppedStates; lasting: LastingPrices }

async function pricesOfBlock(context: EvmContext, known: Known, at: PastAmounts): Promise<Map<Address, Price>> {
  const { owners, tokens, lasting } = known
  const worthOf = new Map([...at.amounts.keys()].map((token) => [token, stoodFor(token, owners)]))
  const open = [...at.amounts].flatMap(([address, amountRaw]) => {
    const token = tokens.find(worthOf.get(address) ?? address)
    return token && !lastingPrice(lasting, token.address, at.time) ? [{ token, amountRaw }] : []
  })
  const found = open.length > 0 ? await priced(context, known, at, open) : undefined
  return new Map(
    [...worthOf].flatMap(([address, token]) => {
      const price = found?.get(token) ?? lastingPrice(lasting, token, at.time)
      return price ? [[address, price] as const] : []
    }),
  )
}

async function priced(
  { openReader, prices, datedPrices, clock, log }: EvmContext,
  { chain, owners, tokens, dropped, lasting }: Known,
  { block, time }: PastAmounts,
  requests: readonly PriceRequest[],
): Promise<ReadonlyMap<Address, Price>> {
  const reader = openReader(chain.key, [], block)
  // A revert at a past block is permanent.
  const isLasting = (error: unknown) => error instanceof ContractRevert
  const scope = { chain, reader, asOf: time, readAhead: false, isExpected: lacksBlock, isLasting } as const
  const settled = (session: PriceSession, found: ReadonlyMap<Address, Price>) => {
    if (session.unsettled().size > 0) {
      throw new UpstreamError('unavailable', `a source of prices of ${chain.key} failed`)
    }
    for (const price of found.values()) addLasting(lasting, price, session.changedAt(price.token), time)
    return found
  }
  if (block > droppedTo(dropped, chain.key, clock.now())) {
    const session = prices.open(scope, receiptDirectory({ owners, tokens }, reader))
    const [found, hasState] = await Promise.all([session.price(requests), knowsBlock(reader)])
    if (hasState) return settled(session, found)
    const known = droppedTo(dropped, chain.key, clock.now())
    if (known < 0n) log.info({ chain: chain.key, block }, NO_STATE)
    if (block > known) dropped.set(chain.key, { block, noticedAt: clock.now() })
  }
  const session = datedPrices.open(scope)
  return settled(session, await session.price(requests))
}

/** One unit of a debt token is one unit of what is owed. */
function stoodFor(token: Address, owners: Owners): Address {
  const protocolContract = owners.get(token)?.protocolContract
  const [underlying, ...others] = protocolContract?.underlyings ?? []
  return protocolContract && !protocolContract.fungible && underlying && others.length === 0 ? underlying : token
}

async function knowsBlock(reader: EvmReader): Promise<boolean> {
  try {
    await reader.header()
    return true
  } catch (error) {
    if (lacksBlock(error)) return false
    throw error
  }
}

/** Newest block without a state, by chain: nodes that lack a state lack older ones too. */
type DroppedStates = Map<string, { block: bigint; noticedAt: number }>

function droppedTo(dropped: DroppedStates, chain: string, now: number): bigint {
  const newest = dropped.get(chain)
  return newest && now - newest.noticedAt < ASKED_AGAIN_AFTER_MS ? newest.block : -1n
}

/** In Unix seconds. */
type LastingPrices = Map<Address, { after: number; until: number; price: Price }[]>

function lastingPrice(lasting: LastingPrices, token: Address, time: number): Price | undefined {
  return lasting.get(token)?.find(({ after, until }) => after < time && time <= until)?.price
}

function addLasting(lasting: LastingPrices, price: Price, after: number | undefined, until: number): void {
  if (after !== undefined) lasting.set(price.token, [...(lasting.get(price.token) ?? []), { after, until, price }])
}

function forgetAfter(lasting: LastingPrices, time: number): void {
  const isNeeded = ({ after }: { after: number }) => after < time
  for (const [token, held] of lasting) lasting.set(token, held.filter(isNeeded))
}

function* coarseToFine<T>(items: readonly T[]): Generator<readonly T[]> {
  yield items.slice(0, 1)
  let stride = 1
  while (stride < items.length) stride *= 2
  for (stride /= 2; stride >= 1; stride /= 2) yield items.filter((_, i) => i % (2 * stride) === stride)
}
