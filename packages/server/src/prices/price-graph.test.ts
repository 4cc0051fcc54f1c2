import { describe, expect, it } from 'vitest'
import { tokenOf } from '../../test/wallet-reads.ts'
import type { Chain } from '../chains/chain.ts'
import { chains } from '../chains/chain-types.ts'
import { decimal, formatDecimal, fromRaw, toRaw } from '../domain/decimal.ts'
import { type EvmAddress, evmAddress } from '../domain/evm-address.ts'
import { WRAPPED_SOL } from '../domain/solana-address.ts'
import type { Token } from '../domain/token.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import { createPriceGraph, RECEIPT } from './price-graph.ts'
import type { PriceSource, Quote } from './price-source.ts'
import type { ReceiptDirectory } from './receipts.ts'
import { createOverridePrices } from './sources/override-prices.ts'

const ethereum = chains.find(({ key }) => key === 'ethereum') as Chain
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as EvmAddress
const token = (n: number, decimals = 18, listed = true) => tokenOf(address(n), `T${n}`, { decimals, listed })
const units = (amount: string) => toRaw(decimal(amount), 18)
/** These sources read nothing, so the scope needs no reader. */
const scope = { chain: ethereum, reader: null }

type Row = { usd: string; confidence?: number; depth?: string } | UpstreamError

/** A source with fixed rows that records its requests. */
function source(name: string, rows: Record<number, Row>, options: { expects?: boolean; down?: boolean } = {}) {
  const asked: number[][] = []
  const quoteOf = ({ address: at, decimals }: Token): Quote | UpstreamError | undefined => {
    const row = rows[Number(at)]
    if (row === undefined || row instanceof UpstreamError) return row
    const { usd, confidence = 1, depth } = row
    const price = { chain: 'ethereum', token: at, usd: decimal(usd), source: name, confidence }
    if (!depth) return { price }
    // A constant product pool without a fee: `depth` units of the token on one side, their worth on the other.
    const reserve = decimal(depth)
    const proceeds = (amountRaw: bigint) => {
      const amount = fromRaw(amountRaw, decimals)
      return reserve.times(decimal(usd)).times(amount).div(reserve.plus(amount))
    }
    return { price, proceeds }
  }
  const made: PriceSource<unknown> = {
    name,
    open: () => ({
      expects: (at) => options.expects === true && rows[Number(at)] !== undefined,
      async quote(tokens) {
        asked.push(tokens.map((each) => Number(each.address)))
        if (options.down) throw new UpstreamError('unavailable', 'down')
        const said = tokens.map((each) => [each.address, quoteOf(each)] as const)
        return new Map(said.flatMap(([at, quote]) => (quote ? [[at, quote] as const] : [])))
      },
    }),
  }
  return { made, asked }
}

function graphOf(sources: (PriceSource<unknown> | typeof RECEIPT)[]) {
  const logged: object[] = []
  return { graph: createPriceGraph({ sources, log: { warn: (fields) => logged.push(fields) } }), logged }
}

const open = (sources: Parameters<typeof graphOf>[0], directory?: ReceiptDirectory) =>
  graphOf(sources).graph.open(scope, directory)

const tokens = (...numbers: number[]) => numbers.map((n) => token(n))
/** One base unit of each. */
const held = (...numbers: number[]) => tokens(...numbers).map((each) => ({ token: each, amountRaw: 1n }))

/** Receipts by rule: one unit of the key stands for these amounts of tokens, with 18 decimals by default. */
function receipts(
  rules: Record<number, [of: number, perUnit: string][]>,
  tokens: Token[],
  hint = true,
): ReceiptDirectory {
  const decimalsOf = (at: string) => tokens.find((each) => each.address === at)?.decimals ?? 18
  return {
    underlyings: (at) => rules[Number(at)]?.flatMap(([of]) => (hint ? [address(of)] : [])),
    async decompose(at, amountRaw) {
      return rules[Number(at)]?.map(([of, perUnit]) => ({
        token: address(of),
        amountRaw: BigInt(
          fromRaw(amountRaw, decimalsOf(at))
            .times(decimal(perUnit))
            .times(decimal(`1e${decimalsOf(address(of))}`))
            .round(0, 0)
            .toFixed(0),
        ),
      }))
    },
    token: (at) => tokens.find((each) => each.address === at),
  }
}

/** Answers of the session by token. */
async function said(session: ReturnType<typeof open>, amounts: { token: Token; amountRaw: bigint }[]) {
  const prices = await session.price(amounts)
  return amounts.map(({ token: { address: at } }) => shown(prices.get(at)))
}

const shown = (price: { usd: { toFixed(): string }; source: string } | undefined) =>
  price && `${price.usd.toFixed()} ${price.source}`

describe('price graph', () => {
  it('says that a token needs a market if it is no receipt and no source expects it', () => {
    const oracle = source('oracle', { 1: { usd: '10' } }, { expects: true })
    const market = source('market', { 1: { usd: '10' }, 2: { usd: '2' } })
    const directory = receipts({ 3: [[1, '1']] }, [token(1)])
    const session = open([RECEIPT, oracle.made, market.made], directory)
    expect([1, 2, 3, 4].filter((n) => session.needsMarket(address(n)))).toEqual([2, 4])
    expect([oracle.asked, market.asked]).toEqual([[], []])
  })

  it('takes the first source in the operator’s order that knows the token', async () => {
    const first = source('first', { 1: { usd: '10' } })
    const second = source('second', { 1: { usd: '11' }, 2: { usd: '2' } })
    for (const [sources, expected] of [
      [[first.made, second.made], '10 first'],
      [[second.made, first.made], '11 second'],
    ] as const) {
      const session = open([...sources])
      expect(await said(session, held(1, 2, 3))).toEqual([expected, '2 second', undefined])
      expect(session.unsettled().size).toBe(0)
    }
  })

  it('asks no later source for a token that an earlier one has a row for', async () => {
    const oracle = source('oracle', { 1: { usd: '10' } }, { expects: true })
    const api = source('api', { 1: { usd: '9' }, 2: { usd: '2' } })
    const session = open([oracle.made, api.made])
    await session.price(held(1, 2))
    expect(api.asked).toEqual([[2]])
  })

  it('asks all that may know a token in the tick of the call, before anything is awaited', () => {
    const pools = source('pools', {})
    const api = source('api', {})
    const session = open([pools.made, api.made])
    void session.price(held(1, 2))
    expect(pools.asked).toEqual([[1, 2]])
    expect(api.asked).toEqual([[1, 2]])
  })

  it('continues where a source fails, names it once in the log, and reports which tokens stay open', async () => {
    const stale = new UpstreamError('invalid', 'stale')
    const oracle = source('oracle', { 1: stale, 2: stale }, { expects: true })
    const dead = source('dead', { 1: { usd: '1' } }, { down: true })
    const api = source('api', { 1: { usd: '9' } })
    const { graph, logged } = graphOf([oracle.made, dead.made, api.made])
    const session = graph.open(scope)
    expect(await said(session, held(1, 2))).toEqual(['9 api', undefined])
    expect([...session.unsettled()]).toEqual([address(2)])
    expect([...session.failedSources()].sort()).toEqual(['dead', 'oracle'])
    expect(logged).toHaveLength(2)
  })

  it('reports for all calls which tokens stay open, whichever ended last', async () => {
    const oracle = source('oracle', { 1: new UpstreamError('invalid', 'stale'), 2: { usd: '2' } }, { expects: true })
    const session = open([oracle.made])
    await session.price(held(1))
    await session.price(held(2))
    expect([...session.unsettled()]).toEqual([address(1)])
  })

  it('asks more confidence for a token that is on no list', async () => {
    const doubtful = source('doubtful', { 1: { usd: '5', confidence: 0.3 }, 2: { usd: '5', confidence: 0.3 } })
    const spam = source('spam', { 3: { usd: '1000000', confidence: 0.1 } })
    const session = open([doubtful.made, spam.made])
    const unlisted = { token: token(2, 18, false), amountRaw: 1n }
    const prices = await said(session, [...held(1), unlisted, ...held(3)])
    expect(prices).toEqual(['5 doubtful', undefined, undefined])
  })

  it('prices a token by what the market pays for all that is held of it, never above spot', async () => {
    const pools = source('pools', { 1: { usd: '2', depth: '1000' } })
    const session = open([pools.made])
    expect(await said(session, [{ token: token(1), amountRaw: 0n }])).toEqual(['2 pools'])
    // 1000 units into 1000/2000: 1000·2000/2000 = 1000 USD for 1000 units.
    const twice = [units('400'), units('600')].map((amountRaw) => ({ token: token(1), amountRaw }))
    expect(await said(session, twice)).toEqual(['1 pools', '1 pools'])
  })

  it('fixes a price by override, for the native coin and its wrapped form alike', async () => {
    const override = createOverridePrices([{ chain: 'ethereum', token: address(0), usd: '3000.5' }], evmAddress)
    const other = source('other', { 0: { usd: '1' } }, { expects: true })
    const session = open([override, other.made])
    const wrapped = { ...token(9), address: ethereum.wrappedNative as EvmAddress }
    const prices = await said(session, [...held(0), { token: wrapped, amountRaw: 1n }])
    expect(prices).toEqual(['3000.5 override', '3000.5 override'])
    expect(other.asked).toEqual([])
  })

  it('prices the tokens of Solana from sources that read its accounts and from those that read no chain', async () => {
    type SlotReader = { clock(): Promise<{ slot: bigint }> }
    const solana = chains.find(({ key }) => key === 'solana') as Chain
    const usdc = { ...token(1, 6), chain: 'solana', address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }
    const sol = { ...token(2, 9), chain: 'solana', address: WRAPPED_SOL }
    const accounts: PriceSource<SlotReader> = {
      name: 'accounts',
      open: ({ reader }) => ({
        expects: () => true,
        async quote(tokens) {
          const { slot } = await reader.clock()
          const price = { chain: 'solana', usd: decimal('150'), source: 'accounts', confidence: 1, block: slot }
          return new Map(tokens.map(({ address: at }) => [at, { price: { ...price, token: at } }]))
        },
      }),
    }
    const override = createOverridePrices([{ chain: 'solana', token: usdc.address, usd: '1' }], (address) => address)
    const graph = createPriceGraph({ sources: [override, accounts], log: { warn: () => undefined } })
    const reader: SlotReader = { clock: async () => ({ slot: 7n }) }
    const prices = await graph.open({ chain: solana, reader }).price([
      { token: usdc, amountRaw: 1n },
      { token: sol, amountRaw: 1n },
    ])
    expect([...prices.values()].map(shown)).toEqual(['1 override', '150 accounts'])
    expect(prices.get(WRAPPED_SOL)?.block).toBe(7n)
  })
})

describe('receipt tokens', () => {
  it('are worth their underlyings, through receipts of receipts and unlike decimals', async () => {
    const tokens = [token(1, 6), token(2, 18), token(3, 8)]
    // A vault share (3) of 1.5 aTokens (2), each one USDC-like coin (1) at 0.99: 1.485.
    const oracle = source('oracle', { 1: { usd: '0.99' } }, { expects: true })
    const session = open([RECEIPT, oracle.made], receipts({ 3: [[2, '1.5']], 2: [[1, '1']] }, tokens))
    expect(await said(session, [{ token: token(3, 8), amountRaw: 5n }])).toEqual(['1.485 receipt'])
  })

  it('are summed over their parts and unpriced when one part is', async () => {
    const known = tokens(1, 2, 3, 4, 5)
    const oracle = source('oracle', { 1: { usd: '10' }, 2: { usd: '4' } }, { expects: true })
    const pairOf = (of: number): [number, string][] => [
      [1, '2'],
      [of, '5'],
    ]
    const session = open([RECEIPT, oracle.made], receipts({ 4: pairOf(2), 5: pairOf(3) }, known))
    const whole = [4, 5].map((n) => ({ token: token(n), amountRaw: units('1') }))
    expect(await said(session, whole)).toEqual(['40 receipt', undefined])
    expect(session.unsettled().size).toBe(0)
  })

  it('stay open when a part failed, and fall to the next source when there is one', async () => {
    const known = tokens(1, 2, 3)
    const oracle = source('oracle', { 1: new UpstreamError('invalid', 'stale'), 3: { usd: '7' } }, { expects: true })
    const rules = receipts({ 2: [[1, '1']], 3: [[1, '1']] }, known)
    const session = open([RECEIPT, oracle.made], rules)
    expect(await said(session, held(2, 3))).toEqual([undefined, '7 oracle'])
    expect([...session.unsettled()]).toEqual([address(2)])
  })

  it('share the depth of a market with what is held directly', async () => {
    const known = tokens(1, 2)
    const pools = source('pools', { 1: { usd: '2', depth: '1000' } })
    const session = open([RECEIPT, pools.made], receipts({ 2: [[1, '3']] }, known))
    const amounts = [units('400'), units('200')].map((amountRaw, i) => ({ token: token(i + 1), amountRaw }))
    expect(await said(session, amounts)).toEqual(['1 pools', '3 receipt'])
  })

  it.each([true, false])('that stand for each other end unpriced (underlyings known beforehand: %s)', async (hint) => {
    const known = tokens(1, 2, 3)
    const rules = receipts({ 1: [[2, '1']], 2: [[1, '1']], 3: [[3, '1']] }, known, hint)
    const session = open([RECEIPT], rules)
    expect((await session.price(held(1, 3))).size).toBe(0)
  })

  it.each([
    [5, '1 receipt'],
    [6, undefined],
  ])('%i deep are worth %s', async (depth, expected) => {
    const known = tokens(1, 2, 3, 4, 5, 6, 7)
    const chain = Object.fromEntries([2, 3, 4, 5, 6, 7].map((n) => [n, [[n - 1, '1']] as [number, string][]]))
    const oracle = source('oracle', { 1: { usd: '1' } }, { expects: true })
    const session = open([RECEIPT, oracle.made], receipts(chain, known))
    expect(await said(session, held(depth + 1))).toEqual([expected])
  })

  it('ask for the pools of their underlyings in the tick of the call', () => {
    const known = tokens(1, 2, 3)
    const pools = source('pools', {})
    const session = open([RECEIPT, pools.made], receipts({ 3: [[2, '1']], 2: [[1, '1']] }, known))
    void session.price(held(3))
    expect(pools.asked).toEqual([[1]])
  })

  it('are unsettled, not worthless, when the decomposition fails', async () => {
    const broken: ReceiptDirectory = {
      ...receipts({ 2: [[1, '1']] }, [token(1), token(2)]),
      decompose: () => Promise.reject(new UpstreamError('unavailable', 'node down')),
    }
    const session = open([RECEIPT], broken)
    expect((await session.price(held(2))).size).toBe(0)
    expect([...session.unsettled()]).toEqual([address(2)])
    expect([...session.failedSources()]).toEqual([RECEIPT])
  })

  it('round once, at the end', async () => {
    const tokens = [token(1), token(2)]
    const oracle = source('oracle', { 1: { usd: '0.333333333333333333333' } }, { expects: true })
    const session = open([RECEIPT, oracle.made], receipts({ 2: [[1, '3']] }, tokens))
    const prices = await session.price(held(1, 2))
    expect(formatDecimal(prices.get(address(1))?.usd ?? decimal('0'))).toBe('0.333333333333333333')
    expect(formatDecimal(prices.get(address(2))?.usd ?? decimal('0'))).toBe('1')
  })
})

describe('a price that no block changes', () => {
  const fixed = createOverridePrices([{ chain: 'ethereum', token: address(1), usd: '2' }], evmAddress)
  const down = {
    ...source('feeds', { 1: new UpstreamError('invalid', 'stale') }, { expects: true }).made,
    byRow: true as const,
  }
  const shares: ReceiptDirectory = {
    underlyings: (receipt) => (receipt === address(1) ? [address(2)] : undefined),
    decompose: async () => undefined,
    token: () => undefined,
  }

  it.each<[string, (PriceSource<unknown> | typeof RECEIPT)[], ReceiptDirectory | undefined, number | undefined]>([
    ['is the one that the operator fixed', [fixed, source('market', {}).made], undefined, 0],
    [
      'is none where a market comes first, which may know the token in another block',
      [source('market', {}).made, fixed],
      undefined,
      undefined,
    ],
    ['is none where a source that comes first failed', [down, fixed], undefined, undefined],
    ['is none of what stands for something else', [RECEIPT, fixed], shares, undefined],
    ['is none of a source that does not say so', [source('feeds', { 1: { usd: '2' } }).made], undefined, undefined],
  ])('%s', async (_name, sources, receipts, changedAt) => {
    const session = open(sources, receipts)
    const prices = await session.price([{ token: token(1), amountRaw: units('1') }])
    expect(prices.get(address(1))?.usd.toFixed()).toBe('2')
    expect(session.changedAt(address(1))).toBe(changedAt)
  })
})
