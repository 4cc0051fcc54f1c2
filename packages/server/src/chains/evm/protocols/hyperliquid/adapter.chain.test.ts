import { addresses, deployHyperCore } from '@coffer/devnet'
import { type Address, parseEther, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { unsold } from '../../../../../test/booked-costs.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, throwLeftOut } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'
import type { LeftOut } from '../adapter.ts'

const DAY_SECONDS = 86_400n
const { tokens } = addresses.ethereum
const usdc = evmAddress(tokens.usdc)
const dai = evmAddress(tokens.dai)
const wbtc = evmAddress(tokens.wbtc)
const vault: EvmAddress = '0xdfc24b077bc1425ad1dea75bcb6f8158e10df303'
const usdcGate: EvmAddress = '0x6b9e773128f453f5c2c60935ee2de2cbc5390a24'
const hypeGate: EvmAddress = '0x2222222222222222222222222222222222222222'
/** System address of the token with the number 360. */
const daiGate: EvmAddress = '0x2000000000000000000000000000000000000168'
const validator: EvmAddress = '0x5ac99df645f3414876c816caa18b2d234024b487'
/**
 * HyperCore token numbers: USDC, HYPE, DAI with ten more digits on chain, WBTC with two fewer, a token without a
 * contract.
 */
const CORE_USDC = 0n
const CORE_HYPE = 1n
const CORE_DAI = 2n
const CORE_WBTC = 3n
const CORE_MEME = 4n
/** At exchange 0: HYPE with sizes of two digits, an asset with tiers of leverage; at exchange 1, a stock in DAI. */
const HYPE_PERP = 0
const TIERED_PERP = 1
const STOCK_PERP = 10_000

const row: ProtocolRow = {
  ...{ family: 'hyperliquid', key: 'hyperliquid', name: 'Hyperliquid', chain: 'ethereum' },
  deployment: {
    ...{ usdc: tokens.usdc, usdcGate, hype: Number(CORE_HYPE) },
    ...{ collaterals: [0, 2], lent: [0, 1], vaults: [{ label: 'HLP', vault }] },
  },
}

const random = seededRandom('hyperliquid')
const bench = await ownBench([row])
const set = await deployHyperCore(bench.chain)
await set('addToken', 'USDC', validator, 8, 0)
await set('addToken', 'HYPE', zeroAddress, 8, 0)
await set('addToken', 'DAI', tokens.dai, 8, 10)
await set('addToken', 'WBTC', tokens.wbtc, 10, -2)
await set('addToken', 'MEME', zeroAddress, 5, 0)
await set('addDex')
await set('addDex')
await set('addPerp', 0, 'HYPE', 2, 10, 400_000n)
await set('addPerp', 0, 'BTC', 5, 56, 600_000n)
await set('addPerp', 1, 'xyz:NVDA', 3, 20, 180_000n)
await set('addVault', vault)
await bench.discover()

async function join(unified = false): Promise<Address> {
  const wallet = random.address()
  await set('join', wallet, unified)
  return wallet
}

async function read(wallet: Address, leftOut: LeftOut = throwLeftOut): Promise<Position[]> {
  const { positions, batches } = await bench.read(wallet, { leftOut })
  expect(batches).toBeLessThanOrEqual(2)
  return positions
}

/** Supplied less borrowed, by token, of all positions. */
function worthOf(positions: readonly Position[]): Record<string, bigint> {
  const supplied = positions.flatMap((position) => position.supplied)
  const borrowed = positions.flatMap((position) => position.borrowed)
  return amountsOf([...supplied, ...borrowed.map(({ token, amountRaw }) => ({ token, amountRaw: -amountRaw }))])
}

const labelled = (positions: readonly Position[], label: string) => positions.filter((one) => one.label === label)
const only = (list: readonly Position[]) => (list.length === 1 ? list[0] : undefined)

it('has nothing of an address that HyperCore does not know, for one question a call', async () => {
  expect(await read(random.address())).toEqual([])
})

it('shows spot balances in tokens of HyperEVM, and balances in open orders separately', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = await join()
    const [total, hype, wrapped] = [
      random.amount(10n ** 4n, 10n ** 15n),
      random.amount(1n, 10n ** 15n),
      random.amount(200n, 10n ** 12n),
    ]
    const held = random.amount(1n, total)
    await set('setSpot', wallet, CORE_USDC, total, held)
    await set('setSpot', wallet, CORE_HYPE, hype, 0n)
    await set('setSpot', wallet, CORE_WBTC, wrapped, wrapped)
    const positions = await read(wallet)
    // USDC has six digits on HyperEVM and eight on HyperCore, HYPE eighteen and eight.
    expect(worthOf(positions)).toEqual({ [usdc]: total / 100n, [NATIVE]: hype * 10n ** 10n, [wbtc]: wrapped / 100n })
    const orders = only(labelled(positions, 'Spot, in open orders'))
    expect(amountsOf(orders?.supplied)[wbtc]).toBe(wrapped / 100n)
    expect(amountsOf(orders?.supplied)[usdc] ?? 0n).toBe(held / 100n)
    expect(orders?.kind).toBe('locked')
  }
})

it('reports tokens that have no contract on HyperEVM, and shows the others', async () => {
  const wallet = await join()
  await set('setSpot', wallet, CORE_MEME, 5n, 0n)
  await set('setSpot', wallet, CORE_DAI, 3n, 0n)
  const reasons: unknown[] = []
  expect(worthOf(await read(wallet, (why) => reasons.push(why)))).toEqual({ [dai]: 3n * 10n ** 10n })
  expect(reasons.map(String)).toEqual(['Error: tokens of HyperCore without a known contract on HyperEVM: 4'])
})

it('reads perpetuals by what closing them would bring, and their margin', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = await join()
    const cash = random.amount(10n ** 9n, 10n ** 12n)
    const size = random.amount(1n, 10n ** 5n)
    const price = random.amount(200_000n, 600_000n)
    await set('setMark', HYPE_PERP, price)
    await set('setCash', wallet, 0, cash)
    await set('open', wallet, HYPE_PERP, -size, 5, false, 0n)
    const after = random.amount(200_000n, 600_000n)
    await set('setMark', HYPE_PERP, after)
    const positions = await read(wallet)
    const gain = size * (price - after)
    // The price has four digits and the size two.
    expect(worthOf(positions)).toEqual({ [usdc]: cash + gain })
    expect(amountsOf(only(labelled(positions, 'Margin'))?.supplied ?? [])).toEqual({ [usdc]: cash })
    expect(only(labelled(positions, 'HYPE short'))).toMatchObject({
      kind: 'perpetuals',
      supplied: gain > 0n ? [{ token: usdc, amountRaw: gain }] : [],
      borrowed: gain < 0n ? [{ token: usdc, amountRaw: -gain }] : [],
      perpetual: {
        side: 'short',
        sizeRaw: size * 10n ** 16n,
        entryPriceRaw: price * 10n ** 14n,
        leverageRaw: 5n * 10n ** 18n,
        marginUsedRaw: (size * after * 10n ** 12n) / 5n,
      },
    })
  }
})

it('reports the liquidation price of an isolated position whose leverage has one tier', async () => {
  const wallet = await join()
  await set('setMark', HYPE_PERP, 400_000n)
  await set('setCash', wallet, 0, 1_000_000_000n)
  // 10 HYPE at 40 USD with a margin of 100 USD: 300 are owed, the maintenance margin is 5 %.
  await set('open', wallet, HYPE_PERP, 1_000n, 4, true, 100_000_000n)
  const [long] = labelled(await read(wallet), 'HYPE long')
  expect(long?.supplied).toEqual([{ token: usdc, amountRaw: 100_000_000n }])
  expect(long?.perpetual).toEqual({
    ...{ side: 'long', sizeRaw: 10n ** 19n, entryPriceRaw: 40n * 10n ** 18n, leverageRaw: 4n * 10n ** 18n },
    // 300 ÷ (10 × 0.95)
    ...{ marginUsedRaw: 10n ** 20n, liquidationPriceRaw: 31_578_947_368_421_052_631n },
  })
  const other = await join()
  await set('setCash', other, 0, 1_000_000_000n)
  await set('open', other, HYPE_PERP, -1_000n, 4, true, 100_000_000n)
  await set('open', other, TIERED_PERP, 100_000n, 4, true, 200_000_000n)
  const shorts = await read(other)
  // 500 ÷ (10 × 1.05)
  expect(labelled(shorts, 'HYPE short')[0]?.perpetual?.liquidationPriceRaw).toBe(47_619_047_619_047_619_047n)
  expect(labelled(shorts, 'BTC long')[0]?.perpetual).not.toHaveProperty('liquidationPriceRaw')
  expect(worthOf(shorts)).toEqual({ [usdc]: 1_000_000_000n })
})

it('shows a perpetual that has neither won nor lost', async () => {
  const wallet = await join()
  await set('setMark', HYPE_PERP, 400_000n)
  await set('setCash', wallet, 0, 500_000_000n)
  await set('open', wallet, HYPE_PERP, 100n, 1, false, 0n)
  expect(labelled(await read(wallet), 'HYPE long')[0]).toMatchObject({ supplied: [], borrowed: [] })
})

it('shows the debt of an account that lost more than it had', async () => {
  const wallet = await join()
  await set('setMark', HYPE_PERP, 400_000n)
  await set('setCash', wallet, 0, 1_000_000n)
  await set('open', wallet, HYPE_PERP, 1_000n, 10, false, 0n)
  await set('setMark', HYPE_PERP, 380_000n)
  expect(worthOf(await read(wallet))).toEqual({ [usdc]: 1_000_000n - 20_000_000n })
})

it('reads other exchanges in their own collateral', async () => {
  const wallet = await join()
  await set('setMark', STOCK_PERP, 180_000n)
  await set('setCash', wallet, 1, 700_000_000n)
  await set('open', wallet, STOCK_PERP, 2_000n, 10, false, 0n)
  await set('setMark', STOCK_PERP, 190_000n)
  const positions = await read(wallet)
  expect(worthOf(positions)).toEqual({ [dai]: (700_000_000n + 20_000_000n) * 10n ** 12n })
  expect(labelled(positions, 'xyz:NVDA long')[0]?.perpetual?.entryPriceRaw).toBe(180n * 10n ** 18n)
})

it('counts the perpetuals of a unified account once: its spot balance holds what they are worth', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = await join(true)
    const money = random.amount(10n ** 11n, 10n ** 13n)
    const size = random.amount(1n, 10n ** 4n)
    await set('setMark', HYPE_PERP, 400_000n)
    await set('setSpot', wallet, CORE_USDC, money, 0n)
    await set('open', wallet, HYPE_PERP, size, 3, false, 0n)
    const after = random.amount(390_000n, 410_000n)
    await set('setMark', HYPE_PERP, after)
    const positions = await read(wallet)
    const gain = size * (after - 400_000n)
    expect(worthOf(positions)[usdc]).toBe((money + gain * 100n) / 100n)
    expect(labelled(positions, 'HYPE long')).toHaveLength(1)
    expect(labelled(positions, 'Spot, in open orders')).toEqual([])
  }
})

it('says so where an account with large orders looks like a unified one, and counts it once', async () => {
  const wallet = await join()
  await set('setMark', HYPE_PERP, 400_000n)
  await set('setSpot', wallet, CORE_USDC, 100_000_000_000n, 90_000_000_000n)
  await set('setCash', wallet, 0, 500_000_000n)
  await set('open', wallet, HYPE_PERP, 100n, 1, false, 0n)
  const reasons: unknown[] = []
  expect(worthOf(await read(wallet, (why) => reasons.push(why)))).toEqual({ [usdc]: 1_000_000_000n })
  expect(reasons).toHaveLength(1)
})

it('reads stakes with their locks, and what leaves the stake', async () => {
  const wallet = await join()
  const { timestamp } = await bench.client.getBlock()
  const until = timestamp + DAY_SECONDS
  await set('delegate', wallet, validator, 5n * 10n ** 8n, until * 1_000n)
  await set('delegate', wallet, vault, 3n, (timestamp - DAY_SECONDS) * 1_000n)
  await set('setStake', wallet, 7n * 10n ** 8n, 11n * 10n ** 8n, 2n)
  const coins = (amountRaw: bigint) => [{ token: NATIVE, amountRaw: amountRaw * 10n ** 10n }]
  expect(await read(wallet)).toMatchObject([
    { kind: 'staked', label: 'Delegated', pool: validator, supplied: coins(5n * 10n ** 8n), unlockAt: Number(until) },
    { kind: 'staked', label: 'Delegated', pool: vault, supplied: coins(3n) },
    { kind: 'staked', label: 'Not delegated', supplied: coins(7n * 10n ** 8n) },
    { kind: 'locked', label: 'Staking, withdrawal pending', supplied: coins(11n * 10n ** 8n) },
  ])
})

it('reads shares of vaults with their locks', async () => {
  const wallet = await join()
  const { timestamp } = await bench.client.getBlock()
  const until = timestamp + 4n * DAY_SECONDS
  await set('setShare', wallet, vault, 123_456_789n, until * 1_000n - 1n)
  expect(await read(wallet)).toMatchObject([
    ...[{ kind: 'yield', label: 'HLP', pool: vault, supplied: [{ token: usdc, amountRaw: 123_456_789n }] }],
  ])
  expect((await read(wallet))[0]?.unlockAt).toBe(Number(until))
})

it('reports what is lent or owed, which is not read', async () => {
  const wallet = await join()
  await set('setLoan', wallet, CORE_HYPE, 5n, 0n)
  const reasons: unknown[] = []
  await read(wallet, (why) => reasons.push(why))
  expect(reasons.map(String)).toEqual(['Error: token 1 is lent or owed on HyperCore, which is not read'])
})

it.each([0x801, 0x804, 0x805, 0x80f, 0x810])(
  'fails where precompile %s refuses, and is not empty',
  async (precompile) => {
    const wallet = await join()
    await set('setSpot', wallet, CORE_USDC, 10n ** 10n, 0n)
    await set('refuse', BigInt(precompile), true)
    await expect(bench.read(wallet)).rejects.toThrow('refused')
    await set('refuse', BigInt(precompile), false)
    expect(worthOf(await read(wallet))).toEqual({ [usdc]: 10n ** 8n })
  },
)

it('fails without precompiles: their empty answer is not an empty account', async () => {
  const wallet = await join()
  const address = `0x${'0'.repeat(37)}810` as const
  const code = await bench.client.getCode({ address })
  await bench.client.setCode({ address, bytecode: '0x' })
  await expect(bench.read(wallet)).rejects.toThrow('refused')
  await bench.client.setCode({ address, bytecode: code ?? '0x' })
})

it('reports transfers to HyperCore and back as deposits and withdrawals', async () => {
  const wallet = random.address()
  const { erc20 } = bench.chain.actions
  await bench.fund(wallet, parseEther('10'))
  await bench.fund(hypeGate, parseEther('10'))
  await erc20.mint(usdc, wallet, 1_000n)
  await erc20.mint(dai, wallet, 500n)
  const found = await bench.played(wallet, async () => {
    await erc20.transfer(usdc, wallet, usdcGate, 900n)
    await bench.send(wallet, hypeGate, '0x', parseEther('3'))
    await erc20.transfer(dai, wallet, daiGate, 500n)
    // More of one token and less of another return: the rest was traded.
    await erc20.transfer(usdc, usdcGate, wallet, 200n)
    await bench.send(hypeGate, wallet, '0x', parseEther('4'))
    await erc20.transfer(dai, daiGate, wallet, 100n)
  })
  const { costs } = namedHistory(bench, () => ({ usdc, dai, coin: NATIVE }))
  expect(found).toHaveLength(6)
  const moved = found.flatMap(({ type, protocol, movements }) =>
    movements
      .filter(({ treatment }) => treatment === 'move')
      .map(({ token, amountRaw, counterparty }) => [type, protocol, token, amountRaw, counterparty]),
  )
  expect(moved).toEqual([
    ['DEPOSIT', 'hyperliquid', usdc, -900n, usdcGate],
    ['DEPOSIT', 'hyperliquid', NATIVE, -parseEther('3'), hypeGate],
    ['DEPOSIT', 'hyperliquid', dai, -500n, daiGate],
    ['WITHDRAW', 'hyperliquid', usdc, 200n, usdcGate],
    ['WITHDRAW', 'hyperliquid', NATIVE, parseEther('4'), hypeGate],
    ['WITHDRAW', 'hyperliquid', dai, 100n, daiGate],
  ])
  const quotes = 'usdc:0 3 had 1000 at 2, dai:0 3 had 500 at 2, coin 40 had 10 at 30'
  expect(costs(wallet, quotes, found)).toEqual({
    // Coin beyond the deposited three is income.
    held: {
      ...{ usdc: '300 at 600', 'usdc in a position': '700 at 1400' },
      ...{ dai: '100 at 200', 'dai in a position': '400 at 800', coin: '11 at 340' },
    },
    ...unsold('3340', '40'),
  })
})
