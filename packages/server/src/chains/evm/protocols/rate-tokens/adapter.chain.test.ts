import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { usdc, link } = addresses.ethereum.tokens
const tokenAbi = parseAbi(['function mint(address to, uint256 amount)', 'function set(uint256 figure, bool refuses)'])
const from = seededRandom('rate tokens owner').address()

type Shape = { view: string; decimals: number; rateDecimals: number; provider?: true; underlying?: Address }
type Rated = Shape & { token: EvmAddress; source: Address }

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

let bench: Awaited<ReturnType<typeof openProtocolBench>>
const rows: ProtocolRow[] = []
const rated: Rated[] = []

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  for (const shape of SHAPES) rated.push(await deploy(shape))
  rows.push({ ...row('rated'), deployment: { tokens: rated.map(rowOf) } })
})
afterAll(() => bench?.stop())

const row = (key: string) => ({ family: 'rate_tokens', key, name: key, chain: 'ethereum' })
const rowOf = ({ token, source, view, rateDecimals, underlying }: Rated) => ({
  ...{ token, label: view, view, decimals: rateDecimals },
  ...(source.toLowerCase() !== token && { provider: source }),
  ...(underlying && { underlying }),
})

async function deploy(shape: Shape): Promise<Rated> {
  const args = ['RATED', shape.decimals, shape.rateDecimals, zeroAddress]
  const token = await bench.chain.deploy(ownArtifact('RatedToken'), args)
  const source = shape.provider ? await bench.chain.deploy(ownArtifact('RatedToken'), args) : token
  return { ...shape, token: evmAddress(token), source }
}

const mint = (token: Address, wallet: Address, amount: bigint) =>
  bench.chain.write({ from, address: token, abi: tokenAbi, functionName: 'mint', args: [wallet, amount] })
const set = ({ source }: Rated, figure: bigint, refuses = false) =>
  bench.chain.write({ from, address: source, abi: tokenAbi, functionName: 'set', args: [figure, refuses] })

/** A rate is the worth of one unit, Ankr's ratio its cost in shares. */
function worthOf({ view, rateDecimals }: Rated, amount: bigint, figure: bigint): bigint {
  const unit = 10n ** BigInt(rateDecimals)
  return view === 'ratio' ? (amount * unit) / figure : (amount * figure) / unit
}

function positionOf(token: Rated, amount: bigint, figure: bigint) {
  const { token: address, view: label, underlying } = token
  const supplied = [
    { token: underlying ? evmAddress(underlying) : NATIVE, amountRaw: worthOf(token, amount, figure) },
  ].filter(({ amountRaw }) => amountRaw > 0n)
  const facts = { protocol: 'rated', chain: 'ethereum', kind: 'staked', label, pool: address }
  return supplied.length > 0 ? [{ ...facts, supplied, borrowed: [], rewards: [], receipts: [address] }] : []
}

it('reads every view to the unit, for positions and prices', async () => {
  const random = seededRandom('rate tokens')
  for (const amountOf of [() => random.amount(1n, 10n ** 24n), () => random.amount(1n, 10n ** 9n), () => 1n]) {
    const wallet = random.address()
    const figures = rated.map(({ rateDecimals }) => {
      const unit = 10n ** BigInt(rateDecimals)
      return random.amount(unit / 2n, 3n * unit)
    })
    const amounts = rated.map(() => amountOf())
    for (const [i, token] of rated.entries()) {
      await set(token, figures[i] ?? 0n)
      await mint(token.token, wallet, amounts[i] ?? 0n)
    }
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const expected = rated.flatMap((token, i) => positionOf(token, amounts[i] ?? 0n, figures[i] ?? 0n))
    expect(positions).toEqual(expected)
    const reader = bench.openReader()
    const [known] = await bench.discover()
    for (const [i, protocolContract] of (known?.protocolContracts ?? []).entries()) {
      const token = rated[i]
      if (!token) throw new Error('a protocol contract too many')
      const amountRaw = 10n ** 24n + 7n
      expect(await known?.deployment.decompose(reader, { protocolContract, amountRaw })).toEqual([
        { token: protocolContract.underlyings[0], amountRaw: worthOf(token, amountRaw, figures[i] ?? 0n) },
      ])
    }
  }
})

it('holds 10^30 units', async () => {
  const wallet = seededRandom('rate tokens large').address()
  for (const token of rated) {
    await set(token, 10n ** BigInt(token.rateDecimals))
    await mint(token.token, wallet, 10n ** 30n)
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
    await set(token, 10n ** BigInt(token.rateDecimals))
    await mint(token.token, wallet, 10n ** 20n)
  }
  for (const token of rated) {
    const unit = 10n ** BigInt(token.rateDecimals)
    const figure = figureOf(unit)
    await set(token, figure ?? unit, figure === undefined)
    const left: unknown[] = []
    const { positions } = await bench.read(wallet, {
      leftOut: (why, protocolContract) => left.push([protocolContract?.address, String(why)]),
    })
    const reason = figure === undefined ? 'refused to be read' : 'is not believable'
    expect(left).toEqual([[token.token, expect.stringContaining(reason)]])
    expect(positions.map(({ pool }) => pool)).toEqual(rated.flatMap((other) => (other === token ? [] : [other.token])))
    const [known] = await bench.discover()
    const protocolContract = known?.protocolContracts.find(({ address }) => address === token.token)
    if (!protocolContract) throw new Error('the token is not there')
    const share = { protocolContract, amountRaw: 10n ** 24n }
    expect(await known?.deployment.decompose(bench.openReader(), share)).toBeUndefined()
    await set(token, unit)
  }
})

it('takes a unit that rounds to nothing for nothing, and not for a failure', async () => {
  const wallet = seededRandom('rate tokens dust').address()
  for (const token of rated) {
    const unit = 10n ** BigInt(token.rateDecimals)
    await set(token, token.view === 'ratio' ? 2n * unit : unit / 2n)
    await mint(token.token, wallet, 1n)
  }
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('shows a token with a feed of its own as itself', async () => {
  const wallet = seededRandom('rate tokens market').address()
  const token = await deploy({ view: 'getRate', decimals: 18, rateDecimals: 18 })
  await mint(token.token, wallet, 77n)
  await set(token, 0n)
  rows.push({ ...row('market'), deployment: { tokens: [{ ...rowOf(token), market: true }] } })
  const known = (await bench.discover()).find(({ deployment }) => deployment.key === 'market')
  const [protocolContract] = known?.protocolContracts ?? []
  if (!protocolContract) throw new Error('the token is not there')
  expect((await bench.read(wallet)).positions).toMatchObject([
    { pool: token.token, supplied: [{ token: token.token, amountRaw: 77n }], receipts: [token.token] },
  ])
  const share = { protocolContract, amountRaw: 7n }
  expect(await known?.deployment.decompose(bench.openReader(), share)).toBeUndefined()
  rows.pop()
  await bench.discover()
})

it('has no position where the provider is not there yet', async () => {
  const wallet = seededRandom('rate tokens early').address()
  const token = await deploy({ view: 'convertToAssets', decimals: 18, rateDecimals: 18 })
  await mint(token.token, wallet, 77n)
  const provider = seededRandom('rate tokens nobody').address()
  rows.push({ ...row('early'), deployment: { tokens: [{ ...rowOf(token), provider }] } })
  await bench.discover()
  expect((await bench.read(wallet)).positions).toEqual([])
  rows.pop()
  await bench.discover()
})

it('asks a wallet that has none for balances alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
