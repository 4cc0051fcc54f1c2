import { type Address, type Hex, maxUint256, parseAbi, parseEther, parseEventLogs } from 'viem'
import { hardhatArtifacts, ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = { comptroller: Address; oracle: Address; rewardToken: Address }

export type CompoundMarket = {
  address: Address
  symbol: string
  name: string
  feed: Address
  /** `null` for the native coin. */
  underlying: Address | null
  underlyingDecimals: number
  collateralFactor: bigint
}

/** Venus's core pool, a fork with the same views: no registry has Compound's own contracts. */
const venus = hardhatArtifacts('@venusprotocol/venus-protocol')
const CTOKEN_DECIMALS = 8
/** Answers `true` to every call: the roles that Venus checks. */
const ALLOW_EVERYTHING: Hex = '0x60015f5260205ff3'

const deployComptroller = async (chain: DevChain, at: Deployment): Promise<void> => {
  const proxy = venus('Comptroller/Unitroller')
  const comptroller = venus('Comptroller/Comptroller')
  const implementation = await chain.deploy(comptroller)
  await chain.deployTo(at.comptroller, proxy)
  await chain.admin(at.comptroller, proxy, '_setPendingImplementation', [implementation])
  await chain.admin(implementation, comptroller, '_become', [at.comptroller])
  const lens = await chain.deploy(venus('Lens/ComptrollerLens'))
  const roles = await chain.deploy({ abi: [], bytecode: ROLES_CREATION_CODE, linkReferences: {} })
  await chain.deployTo(at.oracle, ownArtifact('MarketOracle'))
  const admin = (name: string, args: readonly unknown[]) => chain.admin(at.comptroller, comptroller, name, args)
  await admin('_setAccessControl', [roles])
  await admin('_setComptrollerLens', [lens])
  await admin('_setPriceOracle', [at.oracle])
  await admin('_setCloseFactor', [parseEther('0.5')])
  await admin('_setLiquidationIncentive', [parseEther('1.08')])
}

/** Creation code that returns the code after it. */
const ROLES_CREATION_CODE: Hex = `0x6008600a5f3960085ff3${ALLOW_EVERYTHING.slice(2)}`

const deployMarket = async (chain: DevChain, at: Deployment, rates: Address, market: CompoundMarket) => {
  const comptroller = venus('Comptroller/Comptroller')
  const initialRate = 2n * 10n ** BigInt(market.underlyingDecimals + CTOKEN_DECIMALS)
  const facts = [at.comptroller, rates, initialRate, market.name, market.symbol, CTOKEN_DECIMALS, accounts.deployer]
  if (market.underlying) {
    await chain.deployTo(market.address, venus('Tokens/VTokens/VBep20Immutable'), [market.underlying, ...facts])
  } else {
    await chain.deployTo(market.address, venus('test/MockVBNB'), facts)
  }
  const source = [market.address, market.feed, market.underlyingDecimals]
  await chain.admin(at.oracle, ownArtifact('MarketOracle'), 'setSource', source)
  const admin = (name: string, args: readonly unknown[]) => chain.admin(at.comptroller, comptroller, name, args)
  await admin('_supportMarket', [market.address])
  await admin('_setCollateralFactor', [market.address, market.collateralFactor])
  // This version reads a cap of zero as no supply allowed.
  await admin('_setMarketSupplyCaps', [[market.address], [maxUint256]])
}

/** 0.001 reward tokens per block and market for suppliers, the same for borrowers. */
const payRewards = async (chain: DevChain, at: Deployment, markets: readonly CompoundMarket[]): Promise<void> => {
  const speeds = markets.map(() => parseEther('0.001'))
  const addresses = markets.map(({ address }) => address)
  await chain.admin(at.comptroller, venus('Comptroller/Comptroller'), '_setVenusSpeeds', [addresses, speeds, speeds])
  const mint = { address: at.rewardToken, abi: parseAbi(['function mint(address account, uint256 value)']) } as const
  const args = [at.comptroller, parseEther('1000000')] as const
  await chain.write({ from: accounts.deployer, ...mint, functionName: 'mint', args })
}

export const deployCompoundV2 = async (chain: DevChain, at: Deployment, markets: readonly CompoundMarket[]) => {
  await deployComptroller(chain, at)
  const curve = ['0.02', '0.1', '1', '0.8'].map((figure) => parseEther(figure))
  const rates = await chain.deploy(venus('InterestRateModels/JumpRateModel'), curve)
  for (const market of markets) await deployMarket(chain, at, rates, market)
  await payRewards(chain, at, markets)
}

const marketAbi = parseAbi([
  'function underlying() view returns (address)',
  'function mint(uint256 mintAmount) returns (uint256)',
  'function redeem(uint256 redeemTokens) returns (uint256)',
  'function borrow(uint256 borrowAmount) returns (uint256)',
  'function repayBorrow(uint256 repayAmount) returns (uint256)',
  'function accrueInterest() returns (uint256)',
  'event Failure(uint256 code, uint256 info, uint256 detail)',
])
const nativeAbi = parseAbi(['function mint() payable', 'function repayBorrow() payable'])
const comptrollerAbi = parseAbi(['function enterMarkets(address[] vTokens) returns (uint256[])'])

/** A refusal throws with its error code. */
export const compoundV2Actions = (
  chain: DevChain,
  at: { comptroller: Address; native: Address },
  erc20: Erc20Actions,
) => {
  const accepted = async (sent: ReturnType<typeof chain.write>) => {
    const receipt = await sent
    const [failure] = parseEventLogs({ abi: marketAbi, logs: receipt.logs, eventName: 'Failure' })
    if (failure) throw new Error(`compound refused: error ${failure.args.code}, info ${failure.args.info}`)
    return receipt
  }

  const pay = async (wallet: Address, market: Address, amount: bigint, functionName: 'mint' | 'repayBorrow') => {
    if (market === at.native) {
      return accepted(chain.write({ from: wallet, address: market, abi: nativeAbi, functionName, value: amount }))
    }
    const read = { address: market, abi: marketAbi, functionName: 'underlying' } as const
    await erc20.allow(await chain.client.readContract(read), wallet, market)
    return accepted(chain.write({ from: wallet, address: market, abi: marketAbi, functionName, args: [amount] }))
  }

  return {
    /** The native market takes it from the wallet's balance. */
    mint: (wallet: Address, market: Address, amount: bigint) => pay(wallet, market, amount, 'mint'),
    /** Enables the supplies as collateral. */
    enter: (wallet: Address, markets: readonly Address[]) => {
      const call = { address: at.comptroller, abi: comptrollerAbi, functionName: 'enterMarkets' } as const
      return chain.write({ from: wallet, ...call, args: [markets] })
    },
    /** In the market's own tokens. */
    redeem: (wallet: Address, market: Address, tokens: bigint) => {
      const call = { address: market, abi: marketAbi, functionName: 'redeem' } as const
      return accepted(chain.write({ from: wallet, ...call, args: [tokens] }))
    },
    borrow: (wallet: Address, market: Address, amount: bigint) => {
      const call = { address: market, abi: marketAbi, functionName: 'borrow' } as const
      return accepted(chain.write({ from: wallet, ...call, args: [amount] }))
    },
    accrue: (market: Address) =>
      chain.write({ from: accounts.deployer, address: market, abi: marketAbi, functionName: 'accrueInterest' }),
    repay: (wallet: Address, market: Address, amount: bigint) => pay(wallet, market, amount, 'repayBorrow'),
  }
}
