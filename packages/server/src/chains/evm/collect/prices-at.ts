import type { Address } from '../../../domain/address.ts'
import type { Price } from '../../../domain/price.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createGate } from '../../../lib/concurrency.ts'
import type { Logger } from '../../../lib/logger.ts'
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
import { type Owners, ownersOf, receiptBook } from './receipt-book.ts'

const AT_ONCE = 8
/** Another node may answer by then. */
const ASKED_AGAIN_AFTER_MS = 60 * 60 * 1_000

export function createPricesAt(context: EvmContext): PricesAt {
  const { chains, openReader, tokens, protocolContracts, prices, datedPrices, clock, log } = context
  const gate = createGate(AT_ONCE)
  const dropped = createDroppedStates(clock, log)

  return function pricesAt(chainKey) {
    const lasting = createLastingPrices()
    return async (asked) => {
      const chain = ofEnabled(chains, chainKey)
      const met = asked.flatMap(({ amounts }) => [...amounts.keys()])
      const [rows, ofChain] = await Promise.all([protocolContracts.allRowsOf(chain, met), tokens.of(chain)])
      await ofChain.load(met)
      const known = { chain, owners: ownersOf(rows), tokens: ofChain }
      const answers = new Map<PastAmounts, ReadonlyMap<Address, Price>>()
      const read = async (one: PastAmounts) => answers.set(one, await pricesOfBlock(known, one, lasting))
      for (const together of coarseToFine(asked.toSorted((a, b) => Number(b.block - a.block)))) {
        await Promise.all(together.map((one) => gate(() => read(one))))
      }
      lasting.forgetAfter(Math.min(...asked.map(({ time }) => time)))
      return asked.map((one) => answers.get(one) ?? new Map())
    }
  }

  async function pricesOfBlock(known: Known, at: PastAmounts, lasting: LastingPrices) {
    const worthOf = new Map([...at.amounts.keys()].map((token) => [token, stoodFor(token, known.owners)]))
    const requests = [...at.amounts].flatMap(([address, amountRaw]) => {
      const token = known.tokens.find(worthOf.get(address) ?? address)
      return token ? [{ token, amountRaw }] : []
    })
    const open = requests.filter(({ token }) => !lasting.find(token.address, at.time))
    const session = open.length > 0 ? await priced(known, at, open) : undefined
    for (const price of session?.found.values() ?? []) lasting.add(price, session?.changedAt(price.token), at.time)
    return new Map(
      [...worthOf].flatMap(([address, token]) => {
        const price = session?.found.get(token) ?? lasting.find(token, at.time)
        return price ? [[address, price] as const] : []
      }),
    )
  }

  async function priced(
    { chain, owners, tokens }: Known,
    { block, time }: PastAmounts,
    requests: readonly PriceRequest[],
  ) {
    const reader = openReader(chain.key, [], block)
    const scope = {
      chain,
      reader,
      asOf: time,
      readAhead: false,
      isExpected: lacksBlock,
      isLasting: isRevert,
    } as const
    if (!dropped.has(chain.key, block)) {
      const session = prices.open(scope, receiptBook({ owners, tokens }, reader))
      const [found, hasState] = await Promise.all([session.price(requests), knowsBlock(reader)])
      if (hasState) return settled(chain, session, found)
      dropped.add(chain.key, block)
    }
    const session = datedPrices.open(scope)
    return settled(chain, session, await session.price(requests))
  }
}

type Known = { chain: Chain; owners: Owners; tokens: KnownTokens }

function settled(chain: Chain, session: PriceSession, found: ReadonlyMap<Address, Price>) {
  if (session.unsettled().size > 0) {
    throw new UpstreamError('unavailable', `a source of prices of ${chain.key} failed`)
  }
  return { found, changedAt: session.changedAt }
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

/** A revert at a past block is permanent. */
function isRevert(error: unknown): boolean {
  return error instanceof ContractRevert
}

/** Nodes that lack a state lack older ones too. */
function createDroppedStates(clock: Clock, log: Pick<Logger, 'info'>) {
  const newest = new Map<string, { block: bigint; noticedAt: number }>()
  const lately = (chain: string) => {
    const known = newest.get(chain)
    return known && clock.now() - known.noticedAt < ASKED_AGAIN_AFTER_MS ? known : undefined
  }
  return {
    has: (chain: string, block: bigint) => block <= (lately(chain)?.block ?? -1n),
    add(chain: string, block: bigint) {
      const known = lately(chain)
      if (!known) {
        log.info(
          { chain, block },
          'no node has the state of this past block: it and older ones are priced by the sources that need no state',
        )
      }
      if (block > (known?.block ?? -1n)) newest.set(chain, { block, noticedAt: clock.now() })
    },
  }
}

type LastingPrices = ReturnType<typeof createLastingPrices>

function createLastingPrices() {
  const known = new Map<Address, { after: number; until: number; price: Price }[]>()
  return {
    find: (token: Address, time: number) =>
      known.get(token)?.find(({ after, until }) => after < time && time <= until)?.price,
    add(price: Price, after: number | undefined, until: number) {
      if (after !== undefined) known.set(price.token, [...(known.get(price.token) ?? []), { after, until, price }])
    },
    forgetAfter(time: number) {
      for (const [token, held] of known)
        known.set(
          token,
          held.filter(({ after }) => after < time),
        )
    },
  }
}

function* coarseToFine<T>(items: readonly T[]): Generator<readonly T[]> {
  yield items.slice(0, 1)
  let stride = 1
  while (stride < items.length) stride *= 2
  for (stride /= 2; stride >= 1; stride /= 2) yield items.filter((_, i) => i % (2 * stride) === stride)
}
