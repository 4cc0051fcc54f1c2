import { addresses } from '@coffer/devnet'
import { type Address, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { type Contract, deployOwn } from '../../../../../test/contract-of.ts'
import { protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { usdc, link } = addresses.ethereum.tokens
const from = seededRandom('rate tokens owner').address()

type Shape = { view: string; decimals: number; rateDecimals: number; provider?: true; underlying?: Address }
type Rated = Shape & { token: EvmAddress; own: Contract; source: Contract; unit: bigint }

/** Every view, with the decimals of such tokens: Accountants of 6 and 8, wrapped aTokens of 27. */
const SHAPES: readonly Shape[] = [
  { view: 'getRate', decimals: 6, rateDecimals: 6, provider: true, underlying: usdc },
  { view: 'getRate', decimals: 8, rateDecimals: 8, provider: true, underlying: link },
  { view: 'getRate', decimals: 8, rateDecimals: 18 },
  { view: 'rate', decimals: 6, rateDecimals: 27, underlying: usdc },
  { view: 'exchangeRate', decimals: 18, rateDecimals: 18 },
  { view: 'getExchangeRate', decimals: 18, rateDecimals: 18 },
  { view: 'ratio', decimals: 18, rateDecimals: 18 },
  { view: 'getEthValue', decimals: 18, rateDecimals: 18 },
  { view: 'getPooledAvaxByShares', decimals: 18, rateDecimals: 18 },
  { view: 'convertToAssets', decimals: 18, rateDecimals: 18, provider: true },
  { view: 'mETHToETH', decimals: 18, rateDecimals: 18, provider: true },
  { view: 'convertSnBnbToBnb', decimals: 18, rateDecimals: 18, provider: true },
]

const rows: ProtocolRow[] = []
const rated: Rated[] = []
const bench = await protocolBench(rows)
for (const shape of SHAPES) rated.push(await deploy(shape))
list('rated', rated.map(rowOf))

function list(key: string, tokens: readonly unknown[]): void {
  rows.push({ family: 'rate_tokens', key, name: key, chain: 'ethereum', deployment: { tokens } })
}

function rowOf({ token, source, view, rateDecimals, underlying }: Rated) {
  return {
    ...{ token, label: view, view, decimals: rateDecimals },
    ...(evmAddress(source.address) !== token && { provider: source.address }),
    ...(underlying && { underlying }),
  }
}

async function deploy(shape: Shape): Promise<Rated> {
  const args = ['RATED', shape.decimals, shape.rateDecimals, zeroAddress]
  const own = await deployOwn(bench.chain, 'RatedToken', args)
  const source = shape.provider ? await deployOwn(bench.chain, 'RatedToken', args) : own
  return { ...shape, token: evmAddress(own.address), own, source, unit: 10n ** BigInt(shape.rateDecimals) }
}

const mint = ({ own }: Rated, wallet: Address, amount: bigint) => own.write(from, 'mint', wallet, amount)
const set = ({ source }: Rated, figure: bigint, refuses = false) => source.write(from, 'set', figure, refuses)

/** The stored contract of a token, and what it stands for at the last block. */
async function decomposed(key: string, token: Address, amountRaw: bigint) {
  await bench.discover()
  return bench.decompose(key, token, amountRaw)
}

/** A rate is the worth of one unit, Ankr's ratio its cost in shares. */
function worthOf({ view, unit }: Rated, amount: bigint, figure: bigint): bigint {
  return view === 'ratio' ? (amount * unit) / figure : (amount * figure) / unit
}

function worthIn(token: Rated, amount: bigint, figure: bigint) {
  const { underlying } = token
  return { token: underlying ? evmAddress(underlying) : NATIVE, amountRaw: worthOf(token, amount, figure) }
}

function positionOf(token: Rated, amount: bigint, figure: bigint) {
  const { token: address, view: label } = token
  const supplied = [worthIn(token, amount, figure)].filter(({ amountRaw }) => amountRaw > 0n)
  const facts = { protocol: 'rated', chain: 'ethereum', kind: 'staked', label, pool: address }
  return supplied.length > 0 ? [{ ...facts, supplied, borrowed: [], rewards: [], receipts: [address] }] : []
}

it('reads every view to the unit, for positions and prices', async () => {
  const random = seededRandom('rate tokens')
  for (const amountOf of [() => random.amount(1n, 10n ** 24n), () => random.amount(1n, 10n ** 9n), () => 1n]) {
    const wallet = random.address()
    const figures = rated.map(({ unit }) => random.amount(unit / 2n, 3n * unit))
    const amounts = rated.map(() => amountOf())
    for (const [i, token] of rated.entries()) {
      await set(token, figures[i] ?? 0n)
      await mint(token, wallet, amounts[i] ?? 0n)
    }
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const expected = rated.flatMap((token, i) => positionOf(token, amounts[i] ?? 0n, figures[i] ?? 0n))
    expect(positions).toEqual(expected)
    for (const [i, token] of rated.entries()) {
      const amount = 10n ** 24n + 7n
      expect(await decomposed('rated', token.token, amount)).toEqual([worthIn(token, amount, figures[i] ?? 0n)])
    }
  }
})

it('holds 10^30 units', async () => {
  const wallet = seededRandom('rate tokens large').address()
  for (const token of rated) {
    await set(token, token.unit)
    await mint(token, wallet, 10n ** 30n)
  }
  const { positions } = await bench.read(wallet)
  expect(positions.map(({ supplied }) => supplied[0]?.amountRaw)).toEqual(rated.map(() => 10n ** 30n))
})

it.each([
  ['zero', () => 0n],
  ['2^255', () => 2n ** 255n],
  ['five units', (unit: bigint) => 5n * unit],
  ['a fifth of one', (unit: bigint) => unit / 5n],
  ['a refusal', () => undefined],
])('leaves a token alone whose rate is %s', async (name, figureOf) => {
  const wallet = seededRandom(`rate tokens ${name}`).address()
  for (const token of rated) {
    await set(token, token.unit)
    await mint(token, wallet, 10n ** 20n)
  }
  for (const token of rated) {
    const figure = figureOf(token.unit)
    await set(token, figure ?? token.unit, figure === undefined)
    const left: unknown[] = []
    const { positions } = await bench.read(wallet, {
      leftOut: (why, protocolContract) => left.push([protocolContract?.address, String(why)]),
    })
    const reason = figure === undefined ? 'refused to be read' : 'is not believable'
    expect(left).toEqual([[token.token, expect.stringContaining(reason)]])
    expect(positions.map(({ pool }) => pool)).toEqual(rated.flatMap((other) => (other === token ? [] : [other.token])))
    expect(await decomposed('rated', token.token, 10n ** 24n)).toBeUndefined()
    await set(token, token.unit)
  }
})

it('takes a unit that rounds to nothing for nothing, and not for a failure', async () => {
  const wallet = seededRandom('rate tokens dust').address()
  for (const token of rated) {
    await set(token, token.view === 'ratio' ? 2n * token.unit : token.unit / 2n)
    await mint(token, wallet, 1n)
  }
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('shows a token with a feed of its own as itself', async () => {
  const wallet = seededRandom('rate tokens market').address()
  const token = await deploy({ view: 'getRate', decimals: 18, rateDecimals: 18 })
  await mint(token, wallet, 77n)
  await set(token, 0n)
  list('market', [{ ...rowOf(token), market: true }])
  expect(await decomposed('market', token.token, 7n)).toBeUndefined()
  expect((await bench.read(wallet)).positions).toMatchObject([
    { pool: token.token, supplied: [{ token: token.token, amountRaw: 77n }], receipts: [token.token] },
  ])
  rows.pop()
  await bench.discover()
})

it('has no position where the provider is not there yet', async () => {
  const wallet = seededRandom('rate tokens early').address()
  const token = await deploy({ view: 'convertToAssets', decimals: 18, rateDecimals: 18 })
  await mint(token, wallet, 77n)
  const provider = seededRandom('rate tokens nobody').address()
  list('early', [{ ...rowOf(token), provider }])
  await bench.discover()
  expect((await bench.read(wallet)).positions).toEqual([])
  rows.pop()
  await bench.discover()
})

it('asks a wallet that has none for balances alone', bench.expectNothing)
