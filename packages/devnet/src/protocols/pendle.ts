import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseEther,
  stringToHex,
  toFunctionSelector,
  toHex,
  zeroAddress,
} from 'viem'
import { type Artifact, link, ownArtifact, packageArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import { deployToken, type Erc20Actions } from './erc20.ts'

type Deployment = {
  token: Address
  yieldFactory: Address
  marketFactory: Address
  gauges: Address
  oracle: Address
  router: Address
  lock: Address
  stake: Address
}
/** `yieldToken`: held by the SY. */
export type PendleMarket = {
  market: Address
  sy: Address
  pt: Address
  yt: Address
  yieldToken: Address
  expiry: number
}

const DAY_SECONDS = 86_400
const ADDRESS_BYTES = 20
const FEE = parseEther('0.03')
/** Creation code that stores the bytes after it as code. */
const STORED_CODE = '602038038060206000396000f3fefefefefefefefefefefefefefefefefefefe'

const syAbi = parseAbi([
  'function deposit(address receiver, address tokenIn, uint256 amount, uint256 least) payable returns (uint256)',
  'function setRate(uint256 rate)',
])
const yieldAbi = parseAbi([
  'function mintPY(address receiverPt, address receiverYt) returns (uint256)',
  'function redeemPY(address receiver) returns (uint256)',
  'function redeemDueInterestAndRewards(address user, bool interest, bool rewards) returns (uint256, uint256[])',
])
const marketAbi = parseAbi([
  'function mint(address receiver, uint256 sy, uint256 pt) returns (uint256, uint256, uint256)',
  'function burn(address receiverSy, address receiverPt, uint256 lp) returns (uint256, uint256)',
  'function swapExactPtForSy(address receiver, uint256 pt, bytes data) returns (uint256, uint256)',
  'function redeemRewards(address user) returns (uint256[])',
  'function increaseObservationsCardinalityNext(uint16 next)',
])
const factoryAbi = parseAbi([
  'function createYieldContract(address sy, uint32 expiry, bool isCached) returns (address pt, address yt)',
  'function getPT(address sy, uint256 expiry) view returns (address)',
  'function getYT(address sy, uint256 expiry) view returns (address)',
])
const marketFactoryAbi = parseAbi([
  'function createNewMarket(address pt, int256 scalarRoot, int256 anchor, uint80 fee) returns (address)',
])
const gaugeAbi = parseAbi([
  'function whitelistMarkets(address[] markets, bool isListed)',
  'function setRewardDatas(address[] markets, uint128[] perSecond, uint128[] ends)',
])
const lockAbi = parseAbi([
  'function increaseLockPosition(uint128 amount, uint128 expiry) returns (uint128)',
  'function withdraw() returns (uint128)',
])
const stakeAbi = parseAbi([
  'function stake(uint256 amount)',
  'function cooldown(uint256 amount)',
  'function cancelCooldown()',
  'function finalizeCooldown() returns (uint256)',
  'function setCooldownDurationAndFee(uint24 duration, uint64 fee)',
])

const artifact = (path: string): Artifact =>
  packageArtifact(
    '@pendle/core-v2',
    `build/artifacts/contracts/${path}.sol/${path.slice(path.lastIndexOf('/') + 1)}.json`,
  )

/** Leaves out the constructor's storage, which would forbid initialisation. */
const implant = async (chain: DevChain, address: Address, { abi, bytecode }: Artifact, args: readonly unknown[]) => {
  const at = { address, bytecode: encodeDeployData({ abi, bytecode, args: [...args] }) }
  await chain.client.setCode(at)
  const { data } = await chain.client.call({ account: accounts.deployer, to: address, gas: 15_000_000n })
  if (!data) throw new Error(`the constructor for ${address} returned no code`)
  await chain.client.setCode({ address, bytecode: data })
}

/** Stores code that is too long for one contract in two. Returns their addresses and lengths. */
const splitCode = async (chain: DevChain, code: Hex) => {
  const half = 2 + 2 * Math.floor((code.length - 2) / 4)
  const store = async (part: string) => {
    const stored: Artifact = { abi: [], bytecode: `0x${STORED_CODE}${part}`, linkReferences: {} }
    return [await chain.deploy(stored), BigInt(part.length / 2)] as const
  }
  return [...(await store(code.slice(2, half))), ...(await store(code.slice(half)))]
}

const deployPendle = async (chain: DevChain, at: Deployment): Promise<void> => {
  const owner = accounts.deployer
  const initialise = (address: Address, implementation: Artifact, args: readonly unknown[]) =>
    chain.admin(address, implementation, 'initialize', args)
  await deployToken(chain, { address: at.token, name: 'Pendle', symbol: 'PENDLE', decimals: 18 })
  const gauges = artifact('LiquidityMining/GaugeController/PendleGaugeControllerUpg')
  await implant(chain, at.gauges, gauges, [at.token])
  await initialise(at.gauges, gauges, [owner])
  const yields = artifact('core/YieldContracts/PendleYieldContractFactoryUpg')
  const yieldCode = artifact('core/YieldContracts/PendleYieldToken').bytecode
  await implant(chain, at.yieldFactory, yields, await splitCode(chain, yieldCode))
  await initialise(at.yieldFactory, yields, [DAY_SECONDS, FEE, FEE, accounts.market, owner])
  const OracleLib = await chain.deploy(artifact('core/Market/OracleLib'))
  const marketCode = link(artifact('core/Market/PendleMarketV7'), { OracleLib }).bytecode
  const markets = artifact('core/Market/PendleMarketFactoryV7Upg')
  await implant(chain, at.marketFactory, markets, [at.yieldFactory, ...(await splitCode(chain, marketCode)), at.gauges])
  await initialise(at.marketFactory, markets, [owner, accounts.market, 80])
  const oracle = artifact('oracles/PtYtLpOracle/PendlePYLpOracle')
  await implant(chain, at.oracle, oracle, [])
  await chain.deployTo(at.lock, artifact('LiquidityMining/VotingEscrow/VotingEscrowPendleMainchain'), [
    at.token,
    owner,
    0n,
  ])
  const stake = artifact('LiquidityMining/sPendle/StakedPendle')
  await implant(chain, at.stake, stake, [at.token])
  await initialise(at.stake, stake, [owner])
  const terms = [14 * DAY_SECONDS, parseEther('0.05')] as const
  await chain.write({
    from: owner,
    address: at.stake,
    abi: stakeAbi,
    functionName: 'setCooldownDurationAndFee',
    args: terms,
  })
}

const ROUTED = {
  mint: ['ActionMiscV3', 'mintPyFromSy'],
  redeem: ['ActionMiscV3', 'redeemPyToSy'],
  add: ['ActionAddRemoveLiqV3', 'addLiquidityDualSyAndPt'],
  remove: ['ActionAddRemoveLiqV3', 'removeLiquidityDualSyAndPt'],
  buy: ['ActionSimple', 'swapExactSyForPtSimple'],
  sell: ['ActionSwapPTV3', 'swapExactPtForSy'],
} as const
const NO_ORDERS = { limitRouter: zeroAddress, epsSkipMarket: 0n, normalFills: [], flashFills: [], optData: '0x' }

const deployRouter = async (chain: DevChain, router: Address): Promise<void> => {
  const storage = artifact('router/ActionStorageV4')
  const main = artifact('router/PendleRouterV4')
  await chain.deployTo(router, main, [accounts.deployer, await chain.deploy(storage)])
  for (const [part, name] of Object.values(ROUTED)) {
    const facetArtifact = artifact(`router/${part}`)
    const called = facetArtifact.abi.find((item) => item.type === 'function' && item.name === name)
    if (called?.type !== 'function') throw new Error(`${part} has no ${name}`)
    // One facet is larger than a transaction may create.
    const facet = toHex(keccak256(stringToHex(part), 'bytes').slice(0, ADDRESS_BYTES))
    await implant(chain, facet, facetArtifact, [])
    await chain.admin(router, storage, 'setSelectorToFacets', [[{ facet, selectors: [toFunctionSelector(called)] }]])
  }
}

const routerActions = (chain: DevChain, router: Address, erc20: Erc20Actions) => {
  const call = async (wallet: Address, what: keyof typeof ROUTED, given: readonly Address[], args: unknown[]) => {
    for (const token of given) await erc20.allow(token, wallet, router)
    const [part, functionName] = ROUTED[what]
    const { abi } = artifact(`router/${part}`)
    return chain.send({ from: wallet, to: router, data: encodeFunctionData({ abi, functionName, args }) })
  }
  return {
    deploy: () => deployRouter(chain, router),
    mint: (wallet: Address, { sy, yt }: PendleMarket, amount: bigint) =>
      call(wallet, 'mint', [sy], [wallet, yt, amount, 0n]),
    redeem: (wallet: Address, { pt, yt }: PendleMarket, amount: bigint) =>
      call(wallet, 'redeem', [pt, yt], [wallet, yt, amount, 0n]),
    add: (wallet: Address, { market, sy, pt }: PendleMarket, ofSy: bigint, ofPt: bigint) =>
      call(wallet, 'add', [sy, pt], [wallet, market, ofSy, ofPt, 0n]),
    remove: (wallet: Address, { market }: PendleMarket, lp: bigint) =>
      call(wallet, 'remove', [market], [wallet, market, lp, 0n, 0n]),
    buy: (wallet: Address, { market, sy }: PendleMarket, amount: bigint) =>
      call(wallet, 'buy', [sy], [wallet, market, amount, 0n]),
    sell: (wallet: Address, { market, pt }: PendleMarket, amount: bigint) =>
      call(wallet, 'sell', [pt], [wallet, market, amount, 0n, NO_ORDERS]),
  }
}

const marketActions = (chain: DevChain, erc20: Erc20Actions) => {
  const deployer = { from: accounts.deployer } as const
  const send = (token: Address, wallet: Address, to: Address, amount: bigint) =>
    erc20.transfer(token, wallet, to, amount)

  return {
    deposit: async (wallet: Address, { sy, yieldToken }: Pick<PendleMarket, 'sy' | 'yieldToken'>, amount: bigint) => {
      await erc20.allow(yieldToken, wallet, sy)
      const args = [wallet, yieldToken, amount, 0n] as const
      return chain.write({ from: wallet, address: sy, abi: syAbi, functionName: 'deposit', args })
    },
    mint: async (wallet: Address, { sy, yt }: PendleMarket, amount: bigint) => {
      await send(sy, wallet, yt, amount)
      return chain.write({ from: wallet, address: yt, abi: yieldAbi, functionName: 'mintPY', args: [wallet, wallet] })
    },
    /** Redeems PTs after expiry, before it with as many YTs. */
    redeem: async (wallet: Address, { pt, yt, expiry }: PendleMarket, amount: bigint) => {
      const { timestamp } = await chain.client.getBlock()
      await send(pt, wallet, yt, amount)
      if (timestamp < expiry) await send(yt, wallet, yt, amount)
      return chain.write({ from: wallet, address: yt, abi: yieldAbi, functionName: 'redeemPY', args: [wallet] })
    },
    add: async (wallet: Address, { market, sy, pt }: PendleMarket, ofSy: bigint, ofPt: bigint) => {
      await send(sy, wallet, market, ofSy)
      await send(pt, wallet, market, ofPt)
      const args = [wallet, ofSy, ofPt] as const
      return chain.write({ from: wallet, address: market, abi: marketAbi, functionName: 'mint', args })
    },
    remove: async (wallet: Address, { market }: PendleMarket, lp: bigint) => {
      await send(market, wallet, market, lp)
      const args = [wallet, wallet, lp] as const
      return chain.write({ from: wallet, address: market, abi: marketAbi, functionName: 'burn', args })
    },
    sell: async (wallet: Address, { market, pt }: PendleMarket, amount: bigint) => {
      await send(pt, wallet, market, amount)
      const args = [wallet, amount, '0x'] as const
      return chain.write({ from: wallet, address: market, abi: marketAbi, functionName: 'swapExactPtForSy', args })
    },
    claim: (wallet: Address, { yt }: PendleMarket) => {
      const call = { address: yt, abi: yieldAbi, functionName: 'redeemDueInterestAndRewards' } as const
      return chain.write({ from: wallet, ...call, args: [wallet, true, true] })
    },
    claimRewards: (wallet: Address, { market }: PendleMarket) =>
      chain.write({ from: wallet, address: market, abi: marketAbi, functionName: 'redeemRewards', args: [wallet] }),
    remember: ({ market }: PendleMarket, trades: number) => {
      const call = { address: market, abi: marketAbi, functionName: 'increaseObservationsCardinalityNext' } as const
      return chain.write({ ...deployer, ...call, args: [trades] })
    },
  }
}

const keeperActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => ({
  lock: async (wallet: Address, amount: bigint, expiry: bigint) => {
    await erc20.allow(at.token, wallet, at.lock)
    const args = [amount, expiry] as const
    return chain.write({ from: wallet, address: at.lock, abi: lockAbi, functionName: 'increaseLockPosition', args })
  },
  unlock: (wallet: Address) => chain.write({ from: wallet, address: at.lock, abi: lockAbi, functionName: 'withdraw' }),
  stake: async (wallet: Address, amount: bigint) => {
    await erc20.allow(at.token, wallet, at.stake)
    return chain.write({ from: wallet, address: at.stake, abi: stakeAbi, functionName: 'stake', args: [amount] })
  },
  cool: (wallet: Address, amount: bigint) =>
    chain.write({ from: wallet, address: at.stake, abi: stakeAbi, functionName: 'cooldown', args: [amount] }),
  unstake: (wallet: Address) =>
    chain.write({ from: wallet, address: at.stake, abi: stakeAbi, functionName: 'finalizeCooldown' }),
})

/** The SY is this project's. */
export const pendleActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const from = accounts.deployer
  const deployer = { from } as const

  /** Passes on the SY's reward. At most a year to expiry. */
  const open = async (sy: Address, yieldToken: Address, days: number): Promise<PendleMarket> => {
    const { timestamp } = await chain.client.getBlock()
    const expiry = (Math.floor(Number(timestamp) / DAY_SECONDS) + days) * DAY_SECONDS
    const factory = { address: at.yieldFactory, abi: factoryAbi } as const
    await chain.write({ ...deployer, ...factory, functionName: 'createYieldContract', args: [sy, expiry, false] })
    const args = [sy, BigInt(expiry)] as const
    const pt = await chain.client.readContract({ ...factory, functionName: 'getPT', args })
    const yt = await chain.client.readContract({ ...factory, functionName: 'getYT', args })
    const create = {
      ...{ address: at.marketFactory, abi: marketFactoryAbi, functionName: 'createNewMarket' as const },
      args: [pt, parseEther('50'), parseEther('1.05'), parseEther('0.001')],
    } as const
    const { result: market } = await chain.client.simulateContract({ ...create, account: from })
    await chain.write({ ...deployer, ...create })
    const gauges = { address: at.gauges, abi: gaugeAbi } as const
    await chain.write({ ...deployer, ...gauges, functionName: 'whitelistMarkets', args: [[market], true] })
    const stream = [[market], [parseEther('0.001')], [BigInt(expiry)]] as const
    await chain.write({ ...deployer, ...gauges, functionName: 'setRewardDatas', args: stream })
    await erc20.mint(at.token, at.gauges, parseEther('1000000'))
    return { market, sy, pt, yt, yieldToken, expiry }
  }

  return {
    deploy: () => deployPendle(chain, at),
    wrap: (yieldToken: Address, reward: Address, asset: Address = yieldToken): Promise<Address> =>
      chain.deploy(ownArtifact('PendleYield'), [yieldToken, asset, reward]),
    open,
    setRate: (sy: Address, rate: bigint) =>
      chain.write({ ...deployer, address: sy, abi: syAbi, functionName: 'setRate', args: [rate] }),
    route: routerActions(chain, at.router, erc20),
    ...marketActions(chain, erc20),
    ...keeperActions(chain, at, erc20),
  }
}
