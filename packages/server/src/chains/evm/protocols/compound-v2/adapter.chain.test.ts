import { addresses, deployMarketRewards } from '@coffer/devnet'
import { type Address, formatEther, type Hex, multicall3Abi, parseAbi, parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { contractOf } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts, sidesOf, throwLeftOut } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const DAY_SECONDS = 86_400
const { tokens, compoundV2, multicall3 } = addresses.ethereum
const { comptroller, markets, oracle } = compoundV2
const { uni, link } = tokens
const UNDERLYING: readonly (readonly [Address, Address])[] = [
  [markets.ceth, NATIVE],
  [markets.cusdc, tokens.usdc],
  [markets.cdai, tokens.dai],
  [markets.cwbtc, tokens.wbtc],
]
/** Functions of markets and the comptroller. The first two are declared as views for static calls; they change state on chain. */
const abi = parseAbi([
  'function balanceOfUnderlying(address owner) view returns (uint256)',
  'function borrowBalanceCurrent(address account) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function claimVenus(address holder, address[] markets)',
  'function markets(address market) view returns (bool isListed, uint256 collateralFactor)',
  'function getAssetsIn(address account) view returns (address[])',
  'function getXVSAddress() view returns (address)',
])

/** Venus's deployment with the local comptroller. */
const venus = protocolRows
  .filter(({ key, chain }) => key === 'venus' && chain === 'binance')
  .map((row) => ({
    ...row,
    chain: 'ethereum',
    deployment: { ...row.deployment, comptroller: comptroller.toLowerCase() },
  }))
const rows = [...protocolRows.filter(({ key, chain }) => key === 'compound_v2' && chain === 'ethereum'), ...venus]
const bench = await ownBench(rows)
const { chain, client } = bench
const { erc20, native, compoundV2: compound } = chain.actions
const distributor = await deployMarketRewards(chain, erc20, [uni, link])
const moonwell = { comptroller, rewards: { scheme: 'moonwell', distributor } }
rows.push({ family: 'compound_v2', key: 'moonwell', name: 'Moonwell', chain: 'ethereum', deployment: moonwell })
const [known] = await bench.discover()

const core = contractOf(chain, comptroller, abi)
const marketAt = (address: Address) => contractOf(chain, address, abi)
const prices = contractOf(chain, oracle, 'MarketOracle')
const rewards = contractOf(chain, distributor, 'MarketRewards')
const batch = contractOf(chain, multicall3, multicall3Abi)

/** By the markets' own answers. Collateral ÷ debt by factors and prices. */
async function expectation(wallet: Address, block: bigint) {
  const entered = await core.at(block).read<Address[]>('getAssetsIn', wallet)
  let collateral = 0n
  let debt = 0n
  const accounts = await Promise.all(
    UNDERLYING.map(async ([address, token]) => {
      const market = marketAt(address).at(block)
      const supplied = await market.read('balanceOfUnderlying', wallet)
      const borrowed = await market.read('borrowBalanceCurrent', wallet)
      const price = await prices.at(block).read('getUnderlyingPrice', address)
      const [, factor] = await core.at(block).read<[boolean, bigint]>('markets', address)
      if (entered.includes(address)) collateral += (supplied * price * factor) / 10n ** 36n
      debt += (borrowed * price) / 10n ** 18n
      return { token, supplied, borrowed }
    }),
  )
  return {
    supplied: expectedAmounts(...accounts.map(({ token, supplied }) => [token, supplied] as const)),
    borrowed: expectedAmounts(...accounts.map(({ token, borrowed }) => [token, borrowed] as const)),
    health: debt > 0n ? Number((collateral * 10n ** 12n) / debt) / 1e12 : undefined,
  }
}

async function check(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = positions.find(({ protocol }) => protocol === 'compound_v2')
  const expected = await expectation(wallet, block)
  const { health, ...sides } = expected
  expect(sidesOf(position)).toEqual(sides)
  if (health === undefined) expect(position?.healthFactorRaw).toBeUndefined()
  // The comptroller multiplies and truncates in another order: the ratio differs in its last digits.
  else expect(Number(position?.healthFactorRaw) / 1e18 / health).toBeCloseTo(1, 8)
  return { position, expected }
}

/** A supply of coin as collateral, and a debt in DAI. */
async function borrowAgainst(wallet: Address, amount: bigint, debt: bigint): Promise<void> {
  await native.give(wallet, amount)
  await compound.mint(wallet, markets.ceth, amount)
  await compound.enter(wallet, [markets.ceth])
  if (debt > 0n) await compound.borrow(wallet, markets.cdai, debt)
}

it('reads supplies, a debt and the health of the account, the market of the native coin among them', async () => {
  const { position, expected } = await check(bench.devnet.wallets.demo.address)
  expect(Object.keys(expected.supplied)).toEqual(expect.arrayContaining([NATIVE, tokens.usdc.toLowerCase()]))
  expect(Object.keys(expected.borrowed)).toEqual([tokens.dai.toLowerCase()])
  expect(position).toMatchObject({ kind: 'lending', protocol: 'compound_v2', pool: comptroller.toLowerCase() })
  expect(position?.receipts.toSorted()).toEqual([markets.ceth, markets.cusdc].map((m) => m.toLowerCase()).toSorted())
})

it('reads random states, interest accrued to the block', async () => {
  const random = seededRandom('compound_v2')
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    const debt = round > 0 ? random.amount(1n, parseEther('500')) : 0n
    await borrowAgainst(wallet, random.amount(parseEther('1'), parseEther('50')), debt)
    const supplied = random.amount(10n ** 3n, round === 0 ? 10n ** 30n : parseUnits('1000000', 6))
    await erc20.mint(tokens.usdc, wallet, supplied)
    await compound.mint(wallet, markets.cusdc, supplied)
    await client.mine({ blocks: 1 + random.index(100) })
    await check(wallet)
  }
})

it('reads one unit of a market token and 10^30 of an underlying', async () => {
  const random = seededRandom('compound_v2 limits')
  const [small, large] = [random.address(), random.address()]
  await erc20.transfer(markets.cusdc, bench.devnet.wallets.demo.address, small, 1n)
  await erc20.mint(tokens.dai, large, 10n ** 30n)
  await compound.mint(large, markets.cdai, 10n ** 30n)
  await client.mine({ blocks: 100 })
  await check(small)
  const { expected } = await check(large)
  expect(expected.supplied[tokens.dai.toLowerCase()]).toBeGreaterThan(10n ** 30n - 10n ** 24n)
})

it('finds a debt that no token in the wallet shows', async () => {
  const debtor = seededRandom('compound_v2 debtor').address()
  await borrowAgainst(debtor, parseEther('10'), parseEther('1000'))
  // As if a liquidator had taken all collateral: the adapter receives no market token.
  const reader = bench.openReader()
  const positions = await known?.deployment.positions(reader, evmAddress(debtor), {
    ...{ held: [], protocolContracts: known.protocolContracts, keys: [], leftOut: throwLeftOut },
  })
  const { number } = await reader.header()
  const expected = await expectation(debtor, number)
  expect(amountsOf(positions?.[0]?.borrowed)).toEqual(expected.borrowed)
  expect(Object.keys(expected.borrowed)).toEqual([tokens.dai.toLowerCase()])
})

it('reads the rewards that a claim would pay at the block', async () => {
  const random = seededRandom('venus rewards')
  const token = await core.read<Address>('getXVSAddress')
  const wallets: Address[] = [bench.devnet.wallets.demo.address]
  for (let count = 0; count < 3; count += 1) {
    const wallet = random.address()
    await borrowAgainst(wallet, random.amount(parseEther('1'), parseEther('50')), random.amount(1n, parseEther('500')))
    await client.mine({ blocks: 1 + random.index(50) })
    wallets.push(wallet)
  }
  for (const wallet of wallets) {
    const { positions, block } = await bench.read(wallet)
    const found = positions.find(({ protocol }) => protocol === 'venus')
    const all = UNDERLYING.map(([market]) => market)
    const ask = marketAt(token).call('balanceOf', wallet)
    const steps = [ask, core.call('claimVenus', wallet, all), ask].map(({ to, data }) => [to, false, data])
    const answers = await batch.at(block).read<{ returnData: Hex }[]>('aggregate3', steps)
    const [before = 0n, , after = 0n] = answers.map(({ returnData }) => BigInt(returnData === '0x' ? 0 : returnData))
    expect(after).toBeGreaterThan(before)
    expect(amountsOf(found?.rewards)).toEqual(expectedAmounts([token, after - before]))
  }
})

it('takes a market token apart at the rate of the block', async () => {
  const wallet = bench.devnet.wallets.demo.address
  const reader = bench.openReader()
  const { number } = await reader.header()
  const market = marketAt(markets.cusdc)
  const balance = await market.at(number).read('balanceOf', wallet)
  const amountRaw = await market.at(number).read('balanceOfUnderlying', wallet)
  const amounts = await bench.decompose('compound_v2', markets.cusdc, balance, reader)
  expect(amounts).toEqual([{ token: tokens.usdc.toLowerCase(), amountRaw }])
})

it('says nothing of a wallet that never was there', async () => {
  expect(await bench.read(bench.devnet.wallets.empty.address)).toMatchObject({ positions: [], batches: 2 })
})

/** The comptroller's calls of the distributor before each action of a wallet. */
const accrueSupply = (wallet: Address) =>
  rewards.write(distributor, 'updateMarketSupplyIndexAndDisburseSupplierRewards', markets.ceth, wallet, false)
const accrueDebt = (wallet: Address) =>
  rewards.write(distributor, 'updateMarketBorrowIndexAndDisburseBorrowerRewards', markets.cdai, wallet, false)

async function supply(wallet: Address, amount: bigint): Promise<void> {
  await native.give(wallet, amount)
  await accrueSupply(wallet)
  await compound.mint(wallet, markets.ceth, amount)
}

async function borrow(wallet: Address, amount: bigint): Promise<void> {
  await compound.enter(wallet, [markets.ceth])
  await accrueDebt(wallet)
  await compound.borrow(wallet, markets.cdai, amount)
}

const { costs, summary } = namedHistory(bench, () => ({ uni, link }))

const ofMoonwell = <P extends { protocol: string }>(positions: readonly P[]) =>
  positions.filter(({ protocol }) => protocol === 'moonwell')

type Reward = { emissionToken: Address; totalAmount: bigint }

/** By the distributor's own view of all markets at the block, each token once. */
async function checkRewards(wallet: Address): Promise<Record<string, bigint>> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const all = (await rewards.at(block).read<{ rewards: Reward[] }[]>('getOutstandingRewardsForUser', wallet)).flatMap(
    (market) => market.rewards,
  )
  const expected = expectedAmounts(...all.map((one) => [one.emissionToken, one.totalAmount] as const))
  const shown = ofMoonwell(positions).flatMap((position) => position.rewards)
  expect(shown).toHaveLength(Object.keys(expected).length)
  expect(amountsOf(shown)).toEqual(expected)
  return expected
}

it('finds rewards owed after a complete withdrawal, and in a market that the wallet left', async () => {
  const random = seededRandom('moonwell left')
  const wallet = random.address()
  await supply(wallet, parseEther('10'))
  await chain.travel(DAY_SECONDS)
  await accrueSupply(wallet)
  const shares = await erc20.balanceOf(markets.ceth, wallet)
  await erc20.transfer(markets.ceth, wallet, random.address(), shares)
  expect(Object.keys(await checkRewards(wallet))).toHaveLength(2)
  const [left] = ofMoonwell((await bench.read(wallet)).positions)
  expect(left).toMatchObject({ supplied: [], borrowed: [] })
})

it('shows what stays owed while rewards are paused', async () => {
  const wallet = seededRandom('moonwell paused').address()
  await supply(wallet, parseEther('10'))
  await chain.travel(DAY_SECONDS)
  await rewards.write(distributor, '_pauseRewards')
  await rewards.write(distributor, 'claimReward', wallet, [markets.ceth])
  await rewards.write(distributor, '_unpauseRewards')
  expect(Object.keys(await checkRewards(wallet))).toHaveLength(2)
})

it("what Moonwell's distributor pays is income, also where another one claims it", async () => {
  const random = seededRandom('moonwell history')
  const [wallet, other] = [random.address(), random.address()]
  await bench.fund(wallet, parseEther('10'))
  await accrueSupply(wallet)
  await compound.mint(wallet, markets.ceth, parseEther('10'))
  const found = await bench.played(wallet, async () => {
    for (const from of [wallet, other]) {
      await chain.travel(DAY_SECONDS)
      await rewards.write(from, 'claimReward', wallet, [markets.ceth])
    }
  })
  const claim = ['CLAIM', 'moonwell', 'income +link', 'income +uni']
  expect(summary(found)).toEqual([claim, claim])
  const [ofUni, ofLink] = [await erc20.balanceOf(uni, wallet), await erc20.balanceOf(link, wallet)]
  const income = formatEther(7n * ofUni + 3n * ofLink)
  expect(costs(wallet, 'uni 7, link 3', found)).toEqual({
    held: { uni: lot(ofUni, 7n), link: lot(ofLink, 3n) },
    ...unsold(income, income),
  })
})

it('reads random rewards of both sides in several tokens, and what they pay is what a claim pays', async () => {
  const random = seededRandom('moonwell rewards')
  const wallets = [random.address(), random.address(), random.address()]
  for (const wallet of wallets) {
    await supply(wallet, random.amount(parseEther('1'), parseEther('50')))
    await chain.travel(1 + random.index(DAY_SECONDS))
    expect(Object.keys(await checkRewards(wallet))).toHaveLength(2)
    await borrow(wallet, random.amount(1n, parseEther('500')))
    await chain.travel(1 + random.index(DAY_SECONDS))
    await checkRewards(wallet)
    await supply(wallet, random.amount(1n, parseEther('5')))
    await checkRewards(wallet)
  }
  await chain.travel(365 * DAY_SECONDS)
  for (const wallet of wallets) {
    const shown = await checkRewards(wallet)
    const claim = () => rewards.write(distributor, 'claimReward', wallet, [markets.ceth, markets.cdai])
    const paid = await bench.paidBy(wallet, [uni, link], claim)
    expect(paid).toEqual(shown)
    expect(await checkRewards(wallet)).toEqual({})
  }
})

it.each([
  ['refuses', '0x5f5ffd'],
  ['burns all gas', '0x5b5f56'],
  // A list of 17 tokens, and one whose length exceeds memory.
  ['lists more tokens than a market can have', '0x60205f5260116020526108c05ff3'],
  ['answers a list without an end', '0x60205f5263ffffffff60205260405ff3'],
  ['answers a megabyte', '0x60205f52620fffe05ff3'],
] as const)('leaves out rewards where the distributor %s, and keeps what was lent', async (_, bytecode) => {
  const wallet = seededRandom(`moonwell ${bytecode}`).address()
  await supply(wallet, parseEther('3'))
  const code = await client.getCode({ address: distributor })
  await client.setCode({ address: distributor, bytecode })
  const { positions, missing } = await bench.readPartly(wallet)
  await client.setCode({ address: distributor, bytecode: code ?? '0x' })
  expect(ofMoonwell(positions).map((position) => [position.supplied.length, position.rewards])).toEqual([[1, []]])
  expect(missing).toEqual([`Error: rewards of market ${markets.ceth} could not be read`])
})

it('prices the tokens that a market pays ahead', async () => {
  const own = (await bench.discover()).find(({ deployment }) => deployment.key === 'moonwell')
  const shown = own?.protocolContracts.map(({ address, alsoShown }) => [address, alsoShown?.toSorted()])
  const both = [uni, link].map((token) => token.toLowerCase()).toSorted()
  expect(Object.fromEntries(shown ?? [])).toMatchObject({ [markets.ceth.toLowerCase()]: both })
})
