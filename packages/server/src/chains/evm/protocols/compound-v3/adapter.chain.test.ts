import { addresses, type CometFacts, deployComet, deployToken } from '@coffer/devnet'
import { type Address, maxUint256, pad, parseEther, parseUnits, toHex } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench, sidesOf } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { probeContracts } from '../../collect/read-positions.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, feeds, compoundV3 } = addresses.ethereum
const { comets, rewards, rewardToken } = compoundV3
/** A market that the devnet lacks. Here it has 24 assets, the maximum of Comet's flags. */
const WIDE: Address = '0x3Afdc9BCA9213A35503b077a6072F3D0d5AB0840'
const ASSETS = 24

const rows = protocolRows.filter(({ key, chain }) => key === 'compound_v3' && chain === 'ethereum')
const bench = await protocolBench(rows)
const { chain } = bench
const { erc20, compoundV3: actions, feeds: prices } = chain.actions
const wide: Address[] = []
await deployWide()

/** A market of 24 tokens, each worth an ether. */
async function deployWide(): Promise<void> {
  for (let i = 0; i < ASSETS; i += 1) {
    const address = pad(toHex(0xa55e_0000 + i), { size: 20 })
    wide.push(await deployToken(chain, { address, name: `Asset ${i}`, symbol: `A${i}`, decimals: 18 }))
  }
  const facts: CometFacts = {
    ...{ address: WIDE, symbol: 'cUSDTv3', base: tokens.usdt, baseFeed: feeds.usdtUsd },
    ...{ borrowMin: 1n, minForRewards: parseUnits('1', 6) },
    collaterals: wide.map((asset) => ({ asset, feed: feeds.ethUsd })),
  }
  await deployComet(chain, facts)
  const lender = bench.devnet.wallets.whale.address
  await supply(lender, WIDE, tokens.usdt, parseUnits('1000000', 6))
}

async function supply(wallet: Address, comet: Address, token: Address, amount: bigint): Promise<void> {
  await erc20.mint(token, wallet, amount)
  await actions.supply(wallet, comet, token, amount)
}

/** Views of the market at a block. */
const cometAt = (comet: Address, block: bigint) => contractOf(chain, comet, 'Comet').at(block).read

type AssetInfo = { asset: Address; priceFeed: Address; scale: bigint; liquidateCollateralFactor: bigint }

/** By the market's own views at the block. */
async function expectation(comet: Address, wallet: Address, block: bigint) {
  const read = cometAt(comet, block)
  const base = await read<Address>('baseToken')
  const supplied = await read('balanceOf', wallet)
  const borrowed = await read('borrowBalanceOf', wallet)
  const collaterals = await Promise.all(
    Array.from({ length: await read<number>('numAssets') }, async (_, i) => {
      const info = await read<AssetInfo>('getAssetInfo', i)
      const amount = await read('collateralBalanceOf', wallet, info.asset)
      const price = await read('getPrice', info.priceFeed)
      return { ...info, amount, worth: (((amount * price) / info.scale) * info.liquidateCollateralFactor) / 10n ** 18n }
    }),
  )
  return {
    supplied: expectedAmounts([base, supplied], ...collaterals.map(({ asset, amount }) => [asset, amount] as const)),
    borrowed: expectedAmounts([base, borrowed]),
    rewards: await rewardOf(comet, wallet, block),
    health: await healthOf(comet, borrowed, collaterals, block),
  }
}

type Reward = { token: Address; owed: bigint }

async function rewardOf(comet: Address, wallet: Address, block: bigint) {
  if (comet !== comets.usdc) return {}
  const { token, owed } = await contractOf(chain, rewards, 'CometRewards')
    .at(block)
    .simulate<Reward>(wallet, 'getRewardOwed', comet, wallet)
  expect(token).toBe(rewardToken)
  return expectedAmounts([token, owed])
}

async function healthOf(comet: Address, debt: bigint, collaterals: readonly { worth: bigint }[], block: bigint) {
  if (debt === 0n) return undefined
  const read = cometAt(comet, block)
  const price = await read('getPrice', await read('baseTokenPriceFeed'))
  const backing = collaterals.reduce((sum, { worth }) => sum + worth, 0n)
  return (backing * 10n ** 18n) / ((debt * price) / (await read('baseScale')))
}

async function check(comet: Address, wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = positions.find(({ pool }) => pool === evmAddress(comet))
  const expected = await expectation(comet, wallet, block)
  const shown = { ...sidesOf(position), rewards: amountsOf(position?.rewards), health: position?.healthFactorRaw }
  expect(shown).toEqual(expected)
  return { position, positions, expected, block }
}

it('reads random suppliers, interest and rewards accrued to the block', async () => {
  const random = seededRandom('compound_v3 suppliers')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const amount = random.amount(1n, round === 0 ? 10n ** 13n : 10n ** 9n)
    await supply(wallet, comets.usdc, tokens.usdc, amount)
    await chain.travel(1 + random.index(86_400 * 60))
    const { position, expected } = await check(comets.usdc, wallet)
    expect(position).toMatchObject({
      ...{ kind: 'lending', protocol: 'compound_v3', label: 'USDC', pool: evmAddress(comets.usdc) },
      receipts: [evmAddress(comets.usdc)],
    })
    expect(Object.keys(expected.supplied)).toEqual([tokens.usdc.toLowerCase()])
  }
})

it('reads random debts against several collaterals, with the health that decides about a liquidation', async () => {
  const random = seededRandom('compound_v3 debts')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const backing = [
      [tokens.weth, random.amount(parseEther('1'), parseEther('20'))],
      [tokens.wbtc, random.amount(10n ** 6n, 10n ** 8n)],
      [tokens.uni, random.amount(1n, parseEther('100'))],
    ] as const
    for (const [token, amount] of backing) await supply(wallet, comets.usdc, token, amount)
    await actions.withdraw(wallet, comets.usdc, tokens.usdc, random.amount(parseUnits('100', 6), parseUnits('2000', 6)))
    await chain.travel(1 + random.index(86_400 * 60))
    const { position, expected } = await check(comets.usdc, wallet)
    expect(position?.receipts).toEqual([])
    expect(Object.keys(expected.supplied).length).toBe(3)
    expect(Object.keys(expected.rewards)).toEqual([rewardToken.toLowerCase()])
    expect(position?.healthFactorRaw).toBeGreaterThan(10n ** 18n)
  }
})

it('reads a debt of a token of 18 decimals, in a market that pays no rewards', async () => {
  const random = seededRandom('compound_v3 ether')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await supply(wallet, comets.weth, tokens.wbtc, 10n ** 8n)
    await actions.withdraw(wallet, comets.weth, tokens.weth, random.amount(parseEther('0.1'), parseEther('9')))
    await chain.travel(1 + random.index(86_400 * 60))
    const { expected } = await check(comets.weth, wallet)
    expect(Object.keys(expected.borrowed)).toEqual([tokens.weth.toLowerCase()])
    expect(expected.rewards).toEqual({})
  }
})

it('says 1 where liquidation begins', async () => {
  const random = seededRandom('compound_v3 health')
  const wallet = random.address()
  await supply(wallet, comets.usdc, tokens.uni, parseEther('1000'))
  await actions.withdraw(wallet, comets.usdc, tokens.usdc, parseUnits('5000', 6))
  const answer = await prices.answer(feeds.uniUsd)
  const liquidatable = async () => {
    // The market decides by the debt at its last accrual, the adapter by the debt at the block.
    await actions.claim(wallet, comets.usdc)
    const { position, block } = await check(comets.usdc, wallet)
    const isLiquidatable = await cometAt(comets.usdc, block)<boolean>('isLiquidatable', wallet)
    expect((position?.healthFactorRaw ?? 0n) < 10n ** 18n).toBe(isLiquidatable)
    return isLiquidatable
  }
  const found: boolean[] = []
  for (const percent of [100n, 82n, 81n, 80n, 60n]) {
    await prices.set(feeds.uniUsd, (answer * percent) / 100n)
    found.push(await liquidatable())
  }
  await prices.set(feeds.uniUsd, answer)
  expect(found[0]).toBe(false)
  expect(found.at(-1)).toBe(true)
})

it('has no health where a feed fails, and all amounts', async () => {
  const random = seededRandom('compound_v3 feed')
  const wallet = random.address()
  await supply(wallet, comets.usdc, tokens.link, parseEther('100'))
  await actions.withdraw(wallet, comets.usdc, tokens.usdc, parseUnits('200', 6))
  const answer = await prices.answer(feeds.linkUsd)
  await prices.set(feeds.linkUsd, 0n)
  const { positions } = await bench.read(wallet)
  await prices.set(feeds.linkUsd, answer)
  expect(positions.length).toBe(1)
  expect(positions[0]?.healthFactorRaw).toBeUndefined()
  expect(amountsOf(positions[0]?.supplied)).toEqual(expectedAmounts([tokens.link, parseEther('100')]))
  expect(positions[0]?.borrowed.length).toBe(1)
})

it('reads collaterals beyond the sixteenth, alone and among others', async () => {
  const random = seededRandom('compound_v3 flags')
  for (const places of [[23], [16], [0, 15, 16, 17, 23], wide.map((_, i) => i)]) {
    const wallet = random.address()
    const asset = (place: number) => wide[place] as Address
    for (const place of places) await supply(wallet, WIDE, asset(place), random.amount(1n, parseEther('2')))
    const { expected, positions } = await check(WIDE, wallet)
    expect(new Set(Object.keys(expected.supplied))).toEqual(new Set(places.map((place) => evmAddress(asset(place)))))
    expect(positions.length).toBe(1)
    if (places.length === ASSETS) {
      await actions.withdraw(wallet, WIDE, tokens.usdt, parseUnits('100', 6))
      await check(WIDE, wallet)
    }
  }
})

it('reads a wallet after a complete withdrawal: its owed rewards, then nothing', async () => {
  const random = seededRandom('compound_v3 leaver')
  const wallet = random.address()
  await supply(wallet, comets.usdc, tokens.usdc, parseUnits('10000', 6))
  await chain.travel(86_400)
  await actions.withdraw(wallet, comets.usdc, tokens.usdc, maxUint256)
  const { expected } = await check(comets.usdc, wallet)
  expect(expected.supplied).toEqual({})
  expect(Object.keys(expected.rewards)).toEqual([rewardToken.toLowerCase()])
  await actions.claim(wallet, comets.usdc)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('reads several markets of a wallet at once, each a position', async () => {
  const random = seededRandom('compound_v3 several')
  const wallet = random.address()
  await erc20.mint(tokens.usdc, wallet, 10n ** 9n)
  await actions.supply(wallet, comets.usdc, tokens.usdc, 10n ** 8n)
  await actions.supply(wallet, comets.weth, tokens.usdc, 10n ** 8n)
  for (const comet of [comets.usdc, comets.weth]) await check(comet, wallet)
  const { positions } = await bench.read(wallet)
  expect(positions.map(({ label }) => label).toSorted()).toEqual(['USDC', 'WETH'])
})

it('takes a supplied token apart, one for one', async () => {
  const amounts = await bench.decompose('compound_v3', comets.usdc, 7n)
  expect(amounts).toEqual([{ token: tokens.usdc.toLowerCase(), amountRaw: 7n }])
})

it('says nothing of a wallet that never was there, in the first batch alone', bench.expectNothing)

// Runs last: it breaks a market.
it('leaves out a market that refuses, says so, and reads the others', async () => {
  const random = seededRandom('compound_v3 refusal')
  const wallet = random.address()
  await erc20.mint(tokens.usdc, wallet, 10n ** 9n)
  for (const comet of [comets.usdc, comets.weth]) await actions.supply(wallet, comet, tokens.usdc, 10n ** 8n)
  const [known] = await bench.discover()
  await bench.client.setCode({ address: comets.usdc, bytecode: '0x60006000fd' })
  const left: (string | undefined)[] = []
  const leftOut = (_: unknown, protocolContract?: { address: string }) => void left.push(protocolContract?.address)
  const owner = evmAddress(wallet)
  const row = known as NonNullable<typeof known>
  const held = row.protocolContracts.map((protocolContract) => ({ ...protocolContract, balanceRaw: 0n }))
  const found = { held, protocolContracts: row.protocolContracts, keys: [], leftOut }
  const positions = await row.deployment.positions(bench.openReader(), owner, found)
  expect(left).toEqual([evmAddress(comets.usdc)])
  expect(positions.map(({ label }) => label)).toEqual(['WETH'])
  const refused = await probeContracts([row], bench.openReader(), owner)
  expect([...refused.failed.keys()]).toEqual([evmAddress(comets.usdc)])
  // A missing market, as at a block before its deployment, has no positions.
  await bench.client.setCode({ address: comets.usdc, bytecode: '0x' })
  const before = await probeContracts([row], bench.openReader(), owner)
  expect(before).toEqual({ found: new Set([evmAddress(comets.weth)]), failed: new Map() })
})
