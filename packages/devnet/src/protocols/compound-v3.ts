import {
  type AbiParameter,
  type Address,
  encodeAbiParameters,
  type Hex,
  parseAbi,
  parseAbiParameters,
  parseEther,
  stringToHex,
} from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = { rewards: Address; bulker: Address; rewardToken: Address }

/** Feeds have one currency per market and 8 decimals. */
export type CometFacts = {
  address: Address
  symbol: string
  base: Address
  baseFeed: Address
  /** In base units. */
  borrowMin: bigint
  /** Total supply or debt from which rewards are tracked, in base units. */
  minForRewards: bigint
  collaterals: readonly { asset: Address; feed: Address }[]
}

/** 12 tokens a day for all suppliers and 12 for all borrowers, per second with 15 decimals. */
const REWARD_SPEED = (12n * 10n ** 15n) / 86_400n
const NO_CAP = 2n ** 127n

/** Yearly interest: Compound's curves of its USDC market. */
const CURVES = {
  supply: { kink: parseEther('0.8'), slopeLow: parseEther('0.0325'), slopeHigh: parseEther('0.4'), base: 0n },
  borrow: {
    ...{ kink: parseEther('0.8'), slopeLow: parseEther('0.035'), slopeHigh: parseEther('0.25') },
    base: parseEther('0.015'),
  },
}
const FACTORS = {
  borrowCollateralFactor: parseEther('0.7'),
  liquidateCollateralFactor: parseEther('0.77'),
  liquidationFactor: parseEther('0.95'),
}

/** No registry has Compound's own contract. */
export const deployComet = (chain: DevChain, comet: CometFacts): Promise<Address> => {
  const settings = {
    ...{ symbol: comet.symbol, baseToken: comet.base, baseTokenPriceFeed: comet.baseFeed, ...CURVES },
    ...{ trackingIndexScale: 10n ** 15n, baseTrackingSupplySpeed: REWARD_SPEED, baseTrackingBorrowSpeed: REWARD_SPEED },
    ...{ baseMinForRewards: comet.minForRewards, baseBorrowMin: comet.borrowMin },
    // The contract numbers assets and reads decimals.
    assets: comet.collaterals.map(({ asset, feed }) => {
      return { offset: 0, asset, priceFeed: feed, scale: 0n, ...FACTORS, supplyCap: NO_CAP }
    }),
  }
  return chain.deployTo(comet.address, ownArtifact('Comet'), [settings])
}

/** Markets pay no rewards until `rewardComet`. */
export const deployCompoundV3 = async (
  chain: DevChain,
  at: Deployment & { weth: Address },
  comets: readonly CometFacts[],
): Promise<void> => {
  await chain.deployTo(at.rewards, ownArtifact('CometRewards'))
  await chain.deployTo(at.bulker, ownArtifact('CometBulker'), [at.weth])
  for (const comet of comets) await deployComet(chain, comet)
}

/** One reward token per tracked unit. */
export const rewardComet = (chain: DevChain, at: Deployment, comet: Address) => {
  const args = [comet, at.rewardToken, parseEther('1')]
  return chain.admin(at.rewards, ownArtifact('CometRewards'), 'setRewardConfigWithMultiplier', args)
}

const cometAbi = parseAbi([
  'function supplyTo(address dst, address asset, uint256 amount)',
  'function withdrawTo(address to, address asset, uint256 amount)',
  'function transferAsset(address dst, address asset, uint256 amount)',
  'function absorb(address absorber, address[] accounts)',
  'function allow(address manager, bool isAllowed)',
  'function isAllowed(address owner, address manager) view returns (bool)',
])
const rewardsAbi = parseAbi(['function claim(address comet, address src, bool shouldAccrue)'])
const bulkerAbi = parseAbi(['function invoke(bytes32[] actions, bytes[] data) payable'])

const BULK = {
  ACTION_SUPPLY_ASSET: 'address comet, address to, address asset, uint256 amount',
  ACTION_WITHDRAW_ASSET: 'address comet, address to, address asset, uint256 amount',
  ACTION_TRANSFER_ASSET: 'address comet, address to, address asset, uint256 amount',
  ACTION_SUPPLY_NATIVE_TOKEN: 'address comet, address to, uint256 amount',
  ACTION_WITHDRAW_NATIVE_TOKEN: 'address comet, address to, uint256 amount',
  ACTION_CLAIM_REWARD: 'address comet, address rewards, address src, bool shouldAccrue',
} as const

/** The market is first. */
export type BulkStep = readonly [
  action: keyof typeof BULK,
  comet: Address,
  ...rest: readonly (Address | bigint | boolean)[],
]

const dataOf = ([action, ...values]: BulkStep): Hex =>
  encodeAbiParameters(parseAbiParameters(BULK[action]) as readonly AbiParameter[], values)

/** The calls for collateral also lend, borrow and repay the base token. */
export const compoundV3Actions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const allowBulker = async (wallet: Address, comet: Address) => {
    const market = { address: comet, abi: cometAbi } as const
    const args = [wallet, at.bulker] as const
    if (await chain.client.readContract({ ...market, functionName: 'isAllowed', args })) return
    await chain.write({ from: wallet, ...market, functionName: 'allow', args: [at.bulker, true] })
  }

  return {
    /** The maximum of the base token repays the whole debt. `dst`: credited account. */
    supply: async (wallet: Address, comet: Address, asset: Address, amount: bigint, dst: Address = wallet) => {
      await erc20.allow(asset, wallet, comet)
      const args = [dst, asset, amount] as const
      return chain.write({ from: wallet, address: comet, abi: cometAbi, functionName: 'supplyTo', args })
    },
    /** The maximum of the base token is all that is lent. Any excess is borrowed. */
    withdraw: (wallet: Address, comet: Address, asset: Address, amount: bigint, to: Address = wallet) => {
      const args = [to, asset, amount] as const
      return chain.write({ from: wallet, address: comet, abi: cometAbi, functionName: 'withdrawTo', args })
    },
    transferAsset: (wallet: Address, comet: Address, asset: Address, amount: bigint, dst: Address) => {
      const args = [dst, asset, amount] as const
      return chain.write({ from: wallet, address: comet, abi: cometAbi, functionName: 'transferAsset', args })
    },
    absorb: (absorber: Address, comet: Address, account: Address) => {
      const args = [absorber, [account]] as const
      return chain.write({ from: absorber, address: comet, abi: cometAbi, functionName: 'absorb', args })
    },
    claim: (wallet: Address, comet: Address, account: Address = wallet) => {
      const args = [comet, account, true] as const
      return chain.write({ from: wallet, address: at.rewards, abi: rewardsAbi, functionName: 'claim', args })
    },
    allowBulker,
    bulk: async (wallet: Address, steps: readonly BulkStep[], value = 0n) => {
      for (const [, comet] of steps) await allowBulker(wallet, comet)
      const args = [steps.map(([action]) => stringToHex(action, { size: 32 })), steps.map(dataOf)] as const
      return chain.write({ from: wallet, address: at.bulker, abi: bulkerAbi, functionName: 'invoke', args, value })
    },
  }
}
