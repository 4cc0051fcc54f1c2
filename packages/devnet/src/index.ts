export { ethereumActions } from './actions.ts'
export { addresses } from './addresses.ts'
export { type Anvil, type AnvilOptions, startAnvil } from './anvil.ts'
export { ownArtifact, packageArtifact } from './artifact.ts'
export { createDevChain, type DevChain } from './chain.ts'
export { devnetConfig, serviceEnvironment, writeDemoConfig } from './config.ts'
export { type Devnet, type DevnetOptions, startDevnet } from './devnet.ts'
export { type AlgebraDeployment, type AlgebraGeneration, algebraActions, deployAlgebra } from './protocols/algebra.ts'
export {
  type Balancer,
  type BalancerPool,
  createBalancerPool,
  createRewardsGauge,
  deployBalancer,
  deployBalancerFees,
  deployRewardsGauges,
  exitBalancerPool,
  joinBalancerPool,
  recoverBalancerPool,
  tradeInBalancerPool,
} from './protocols/balancer.ts'
export { type CometFacts, deployComet } from './protocols/compound-v3.ts'
export { addConvexExtra, addConvexPool, deployConvex } from './protocols/convex.ts'
export { type CurveKind, createGauge, deployCurvePool, deployGauges, type Gauges } from './protocols/curve.ts'
export { deployDepositContract, depositContractAbi } from './protocols/deposit-contract.ts'
export { addStrategy, deployEigenLayer } from './protocols/eigenlayer.ts'
export { deployToken } from './protocols/erc20.ts'
export { type EulerStep, eulerAccount, eulerDebtToken, eulerVaults } from './protocols/euler.ts'
export {
  addFluidDex,
  addFluidSmartToken,
  addFluidToken,
  addFluidVault,
  deployFluid,
  FLUID_COIN,
  type Fluid,
  fundFluid,
  setFluidPrice,
} from './protocols/fluid.ts'
export { deployHyperCore } from './protocols/hyperliquid.ts'
export {
  deployLockstake,
  deployMaker,
  type Maker,
  type MakerCollateral,
  makerActions,
  makerIlk,
} from './protocols/maker.ts'
export { deployMarketRewards } from './protocols/market-rewards.ts'
export { type MarketParams, marketId, morphoMarkets, morphoVaults } from './protocols/morpho.ts'
export { deployMulticall3 } from './protocols/multicall3.ts'
export { deployPoison, LIES, POISONS, type Poison, poisonAbi } from './protocols/poisons.ts'
export { deploySlipstream } from './protocols/slipstream.ts'
export { deployV4Hook, type PoolKey, poolKeyOf, v4Payouts } from './protocols/uniswap-v4.ts'
export { deployWorkedExample, exampleCall } from './protocols/worked-example.ts'
export { openShowcase, type Showcase } from './showcase.ts'
export { ensureState } from './state.ts'
export { wallets } from './wallets.ts'
