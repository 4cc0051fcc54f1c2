import { addresses, deployLockstake, deployMaker, makerActions, makerIlk } from '@coffer/devnet'
import { type Address, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const RAY = 10n ** 27n
const WAD = 10n ** 18n
const DAY_SECONDS = 86_400
/** A SKY backs at most 4 cents. */
const SPOT = RAY / 25n
const ILK = 'LSEV2-SKY-A'
const { tokens } = addresses.ethereum
const engineAbi = parseAbi([
  'function open(uint256 index) returns (address)',
  'function selectVoteDelegate(address owner, uint256 index, address voteDelegate)',
  'function selectFarm(address owner, uint256 index, address farm, uint16 ref)',
  'function lock(address owner, uint256 index, uint256 wad, uint16 ref)',
  'function free(address owner, uint256 index, address to, uint256 wad) returns (uint256)',
  'function draw(address owner, uint256 index, address to, uint256 wad)',
  'function wipeAll(address owner, uint256 index) returns (uint256)',
  'function getReward(address owner, uint256 index, address farm, address to) returns (uint256)',
  'function onKick(address urn, uint256 wad)',
  'function onRemove(address urn, uint256 sold, uint256 left)',
  'function ownerUrns(address owner, uint256 index) view returns (address)',
])
const vatAbi = parseAbi([
  'function urns(bytes32 ilk, address urn) view returns (uint256 ink, uint256 art)',
  'function ilks(bytes32 ilk) view returns (uint256 Art, uint256 rate, uint256 spot, uint256 line, uint256 dust)',
])
const jugAbi = parseAbi(['function drip(bytes32 ilk) returns (uint256)'])

const rows: ProtocolRow[] = []
const random = seededRandom('lockstake')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let maker: Awaited<ReturnType<typeof deployMaker>>
let sky: Awaited<ReturnType<typeof deployLockstake>>
/** They pay UNI and DAI, which anyone can pay in. */
let farms: [Address, Address]

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain } = bench
  maker = await deployMaker(chain, {})
  sky = await deployLockstake(chain, maker, { ilk: ILK, spot: SPOT, fee: 0n })
  const { create } = chain.actions.stakingRewards
  farms = [
    await create({ staked: sky.lssky, rewarded: tokens.uni }),
    await create({ staked: sky.lssky, rewarded: tokens.dai }),
  ]
  rows.push({
    ...{ family: 'lockstake', key: 'sky_staking', name: 'Sky Staking', chain: 'ethereum' },
    deployment: { engines: [{ address: sky.engine, token: sky.sky, farms }], lent: sky.usds },
  })
})
afterAll(() => bench?.stop())

const balanceOf = (token: Address, wallet: Address) => bench.chain.actions.erc20.balanceOf(token, wallet)
const engine = (from: Address) => ({ from, address: sky.engine, abi: engineAbi }) as const
const urnOf = (wallet: Address, index: bigint) =>
  bench.client.readContract({ address: sky.engine, abi: engineAbi, functionName: 'ownerUrns', args: [wallet, index] })

/** Opens the next position and locks `amount`, in `farm` if given. */
async function lock(wallet: Address, index: bigint, amount: bigint, farm: Address = zeroAddress): Promise<void> {
  const { erc20 } = bench.chain.actions
  await bench.chain.write({ ...engine(wallet), functionName: 'open', args: [index] })
  if (farm !== zeroAddress) {
    await bench.chain.write({ ...engine(wallet), functionName: 'selectFarm', args: [wallet, index, farm, 0] })
  }
  await erc20.mint(sky.sky, wallet, amount)
  await erc20.allow(sky.sky, wallet, sky.engine)
  await bench.chain.write({ ...engine(wallet), functionName: 'lock', args: [wallet, index, amount, 0] })
}

const draw = (wallet: Address, index: bigint, amount: bigint) =>
  bench.chain.write({ ...engine(wallet), functionName: 'draw', args: [wallet, index, wallet, amount] })

/** Keeps the read's time: later blocks have its timestamp. */
async function atTheTimeOfTheRead<T>(play: () => Promise<T>): Promise<T> {
  await bench.client.setBlockTimestampInterval({ interval: 0 })
  try {
    return await play()
  } finally {
    await bench.client.removeBlockTimestampInterval()
  }
}

/** Anyone may accrue the fees. */
const drip = () =>
  bench.chain.write({
    ...{ from: random.address(), address: maker.jug, abi: jugAbi, functionName: 'drip', args: [makerIlk(ILK)] },
  })

it('shows what is locked, what repays the debt at the time of the read, and what farms pay', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = random.amount(WAD, 10n ** 26n)
    const most = (amount * SPOT) / RAY
    const drawn = random.amount(most / 10n, (most * 9n) / 10n)
    await lock(wallet, 0n, amount, farms[0])
    await draw(wallet, 0n, drawn)
    await bench.chain.actions.stakingRewards.reward(farms[0], random.amount(WAD, 10n ** 24n))
    await bench.chain.travel(1 + random.index(300 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(positions.length).toBe(1)
    const [position] = positions
    const owed = position?.borrowed[0]?.amountRaw ?? 0n
    expect(owed).toBeGreaterThan(drawn)
    expect(position).toMatchObject({
      ...{ kind: 'lending', label: 'Stake', pool: evmAddress(sky.engine), tokenId: 0n, receipts: [] },
      ...{ supplied: [{ token: evmAddress(sky.sky), amountRaw: amount }] },
      borrowed: [{ token: evmAddress(sky.usds), amountRaw: owed }],
    })
    await atTheTimeOfTheRead(async () => {
      const reward = { functionName: 'getReward', args: [wallet, 0n, farms[0], wallet] } as const
      await bench.chain.write({ ...engine(wallet), ...reward })
      const paid = await balanceOf(tokens.uni, wallet)
      expect(amountsOf(position?.rewards ?? [])).toEqual(expectedAmounts([tokens.uni, paid]))
      await drip()
      const at = { address: maker.vat, abi: vatAbi } as const
      const urn = [makerIlk(ILK), await urnOf(wallet, 0n)] as const
      const [ink, art] = await bench.client.readContract({ ...at, functionName: 'urns', args: urn })
      const [, rate] = await bench.client.readContract({ ...at, functionName: 'ilks', args: [urn[0]] })
      expect(position?.healthFactorRaw).toBe((ink * SPOT * WAD) / (art * rate))
      const usds = { token: sky.usds, join: sky.usdsJoin }
      await makerActions(bench.chain, maker).giveDai(wallet, owed, usds)
      await bench.chain.actions.erc20.allow(sky.usds, wallet, sky.engine)
      await bench.chain.write({ ...engine(wallet), functionName: 'wipeAll', args: [wallet, 0n] })
      expect(await balanceOf(sky.usds, wallet)).toBe(drawn)
      const free = { functionName: 'free', args: [wallet, 0n, wallet, amount] } as const
      await bench.chain.write({ ...engine(wallet), ...free })
    })
    expect(await balanceOf(sky.sky, wallet)).toBe(amount)
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('shows each position, whether it votes, and a reward of a farm that it left', async () => {
  const [wallet, delegate] = [random.address(), random.address()]
  await lock(wallet, 0n, 5n * WAD, farms[0])
  await lock(wallet, 1n, 7n * WAD)
  await bench.chain.actions.stakingRewards.reward(farms[0], 1_000n * WAD)
  await bench.chain.travel(DAY_SECONDS)
  const move = { functionName: 'selectFarm', args: [wallet, 0n, farms[1], 0] } as const
  await bench.chain.write({ ...engine(wallet), ...move })
  await bench.chain.actions.stakingRewards.reward(farms[1], 1_000n * WAD)
  const vote = { functionName: 'selectVoteDelegate', args: [wallet, 1n, delegate] } as const
  await bench.chain.write({ ...engine(wallet), ...vote })
  await bench.chain.travel(DAY_SECONDS)
  const { positions } = await bench.read(wallet)
  expect(positions).toMatchObject([
    { kind: 'staked', label: 'Stake', tokenId: 0n, supplied: [{ amountRaw: 5n * WAD }] },
    { kind: 'staked', label: 'Stake, delegated', tokenId: 1n, supplied: [{ amountRaw: 7n * WAD }], rewards: [] },
  ])
  expect(positions[0]?.healthFactorRaw).toBeUndefined()
  // One DAI that a third party sent to the urn is paid with the next claim.
  const urn = await urnOf(wallet, 0n)
  await bench.chain.actions.erc20.mint(tokens.dai, urn, WAD)
  const [position] = (await bench.read(wallet)).positions
  await atTheTimeOfTheRead(async () => {
    for (const farm of farms) {
      const claim = { functionName: 'getReward', args: [wallet, 0n, farm, wallet] } as const
      await bench.chain.write({ ...engine(wallet), ...claim })
    }
  })
  const paid = [tokens.uni, tokens.dai].map(async (token) => [token, await balanceOf(token, wallet)] as const)
  expect(amountsOf(position?.rewards ?? [])).toEqual(expectedAmounts(...(await Promise.all(paid))))
})

it('counts a reward as far as the farm has it', async () => {
  const wallet = random.address()
  await lock(wallet, 0n, 5n * WAD, farms[1])
  await bench.chain.actions.stakingRewards.reward(farms[1], 1_000n * WAD)
  await bench.chain.travel(30 * DAY_SECONDS)
  await bench.chain.actions.erc20.setBalance(tokens.dai, farms[1], 9n)
  const [position] = (await bench.read(wallet)).positions
  expect(position?.rewards).toEqual([{ token: evmAddress(tokens.dai), amountRaw: 9n }])
})

it('shows what a liquidation took, and what came back of it', async () => {
  const wallet = random.address()
  await lock(wallet, 0n, 1_000n * WAD, farms[0])
  await bench.chain.actions.stakingRewards.reward(farms[0], 1_000n * WAD)
  await draw(wallet, 0n, 30n * WAD)
  await bench.chain.travel(DAY_SECONDS)
  const urn = await urnOf(wallet, 0n)
  const { ink } = await makerActions(bench.chain, maker).liquidate(ILK, urn, 0n)
  await bench.chain.write({ ...engine(random.address()), functionName: 'onKick', args: [urn, ink] })
  // Earlier rewards stay.
  const [emptied] = (await bench.read(wallet)).positions
  expect(emptied).toMatchObject({ supplied: [], borrowed: [], rewards: [{ token: evmAddress(tokens.uni) }] })
  const left = 400n * WAD
  await bench.chain.write({ ...engine(random.address()), functionName: 'onRemove', args: [urn, ink - left, left] })
  expect((await bench.read(wallet)).positions).toMatchObject([
    { kind: 'staked', label: 'Stake', supplied: [{ amountRaw: left }], borrowed: [] },
  ])
})

it('says of a position that a part of it is being sold', async () => {
  const wallet = random.address()
  await lock(wallet, 0n, 1_000n * WAD)
  const urn = await urnOf(wallet, 0n)
  await makerActions(bench.chain, maker).liquidate(ILK, urn, 0n)
  await bench.chain.write({ ...engine(random.address()), functionName: 'onKick', args: [urn, 1_000n * WAD] })
  await bench.chain.actions.erc20.mint(sky.sky, wallet, 3n * WAD)
  await bench.chain.write({ ...engine(wallet), functionName: 'lock', args: [wallet, 0n, 3n * WAD, 0] })
  expect((await bench.read(wallet)).positions).toMatchObject([
    { label: 'Stake, in liquidation', supplied: [{ amountRaw: 3n * WAD }] },
  ])
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
