import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { addresses } from '../addresses.ts'
import { addFluidToken, addFluidVault, deployFluid, FLUID_COIN, fundFluid, setFluidPrice } from '../protocols/fluid.ts'
import { deployLockstake, deployMaker, type Maker, makerActions } from '../protocols/maker.ts'
import { collector, type Exhibit, type ProtocolRow, provider, row, type Stage } from './stage.ts'

const { tokens } = addresses.ethereum
const RAY = 10n ** 27n

const engineAbi = parseAbi([
  'function open(uint256 index) returns (address)',
  'function selectFarm(address owner, uint256 index, address farm, uint16 ref)',
  'function lock(address owner, uint256 index, uint256 wad, uint16 ref)',
  'function draw(address owner, uint256 index, address to, uint256 wad)',
])
const vaultAbi = parseAbi([
  'function operate(uint256 nftId, int256 newCol, int256 newDebt, address to) payable returns (uint256 id, int256 col, int256 debt)',
])
const lentAbi = parseAbi(['function deposit(uint256 assets, address receiver) returns (uint256)'])

/** Ether locked by a proxy. SKY that earns in a farm and backs a debt. */
export const openMaker: Exhibit = async (stage) => {
  const { chain, actions } = stage
  const { joins, addIlk, daiJoin, library, ...deployment } = await deployMaker(chain, {
    'ETH-A': { token: tokens.weth, spot: 1_500n * RAY },
  })
  const made = { joins, addIlk, daiJoin, library, ...deployment }
  const maker = makerActions(chain, made)
  const proxy = await maker.buildProxy(collector)
  const cdp = await maker.open(proxy, 'ETH-A')
  await actions.erc20.mint(tokens.weth, collector, parseEther('2'))
  await actions.erc20.allow(tokens.weth, collector, proxy)
  await maker.act(collector, proxy, 'lockGem', [maker.named('ETH-A'), cdp, parseEther('2')])
  return [row('maker', 'local_maker', 'Maker', deployment), await openLockstake(stage, made)]
}

const openLockstake = async ({ chain, actions, list }: Stage, maker: Maker): Promise<ProtocolRow> => {
  const { erc20, stakingRewards } = actions
  const sky = await deployLockstake(chain, maker, { ilk: 'LSEV2-SKY-A', spot: RAY / 25n, fee: 0n })
  await openMarkets({ actions }, [
    [sky.sky, parseEther('10000000'), parseUnits('700000', 6)],
    [sky.usds, parseEther('500000'), parseUnits('500000', 6)],
  ])
  list(sky.sky, 'SKY')
  list(sky.usds, 'USDS')
  const farm = await stakingRewards.create({ staked: sky.lssky, rewarded: tokens.uni })
  const engine = { from: collector, address: sky.engine, abi: engineAbi } as const
  await erc20.mint(sky.sky, collector, parseEther('100000'))
  await erc20.allow(sky.sky, collector, sky.engine)
  await chain.write({ ...engine, functionName: 'open', args: [0n] })
  await chain.write({ ...engine, functionName: 'selectFarm', args: [collector, 0n, farm, 0] })
  await chain.write({ ...engine, functionName: 'lock', args: [collector, 0n, parseEther('100000'), 0] })
  await chain.write({ ...engine, functionName: 'draw', args: [collector, 0n, collector, parseEther('1500')] })
  await stakingRewards.reward(farm, parseEther('1000'))
  const engines = [{ address: sky.engine, token: sky.sky, farms: [farm] }]
  return row('lockstake', 'local_sky_staking', 'Sky Staking', { engines, lent: sky.usds })
}

/** Creates pairs that give the tokens a price. */
const openMarkets = async (
  { actions: { erc20, uniswapV2 } }: Pick<Stage, 'actions'>,
  markets: readonly (readonly [token: Address, amount: bigint, usdc: bigint])[],
) => {
  for (const [token, amount, usdc] of markets) {
    const sides = [
      { token, amount },
      { token: tokens.usdc, amount: usdc },
    ] as const
    for (const side of sides) await erc20.mint(side.token, provider, side.amount)
    await uniswapV2.add(provider, ...sides)
  }
}

export const openFluid: Exhibit = async ({ chain, actions: { erc20, native } }) => {
  const fluid = await deployFluid(chain)
  await fundFluid(chain, fluid, [[tokens.usdc, parseUnits('1000000', 6)]])
  const lent = await addFluidToken(chain, fluid, tokens.usdc)
  const { vault, oracle } = await addFluidVault(chain, fluid, {
    supply: { token: FLUID_COIN },
    borrow: { token: tokens.usdc },
  })
  // USDC of 6 decimals per ether of 18, with 27 further digits.
  await setFluidPrice(chain, oracle, 3_000n * 10n ** 15n)
  const collateral = parseEther('5')
  await native.give(collector, collateral)
  const args = [0n, collateral, parseUnits('6000', 6), collector] as const
  const operate = { address: vault, abi: vaultAbi, functionName: 'operate' } as const
  await chain.write({ from: collector, ...operate, args, value: collateral })
  const amount = parseUnits('2500', 6)
  await erc20.mint(tokens.usdc, collector, amount)
  await erc20.allow(tokens.usdc, collector, lent)
  const deposit = { address: lent, abi: lentAbi, functionName: 'deposit' } as const
  await chain.write({ from: collector, ...deposit, args: [amount, collector] })
  return [row('fluid', 'local_fluid', 'Fluid', fluid)]
}
