import { addresses } from './addresses.ts'
import type { DevChain } from './chain.ts'
import { aaveV2Actions } from './protocols/aave-v2.ts'
import { aaveV3Actions } from './protocols/aave-v3.ts'
import { feedActions } from './protocols/chainlink.ts'
import { compoundV2Actions } from './protocols/compound-v2.ts'
import { compoundV3Actions } from './protocols/compound-v3.ts'
import { erc20Actions } from './protocols/erc20.ts'
import { vaultActions } from './protocols/erc4626.ts'
import { ethenaActions } from './protocols/ethena.ts'
import { eulerActions } from './protocols/euler.ts'
import { lidoActions } from './protocols/lido.ts'
import { morphoActions } from './protocols/morpho.ts'
import { nativeActions } from './protocols/native.ts'
import { pancakeChefActions } from './protocols/pancake-chef.ts'
import { pendleActions } from './protocols/pendle.ts'
import { safetyModuleActions } from './protocols/safety-module.ts'
import { stakingRewardsActions } from './protocols/staking-rewards.ts'
import { uniswapV2Actions } from './protocols/uniswap-v2.ts'
import { uniswapV3Actions } from './protocols/uniswap-v3.ts'
import { uniswapV4Actions } from './protocols/uniswap-v4.ts'

/** One transaction per action. Amounts are in base units. Any address may act. */
export const ethereumActions = (chain: DevChain) => {
  const at = addresses.ethereum
  const erc20 = erc20Actions(chain, at.tokens.weth)
  const compound = { comptroller: at.compoundV2.comptroller, native: at.compoundV2.markets.ceth }
  return {
    native: nativeActions(chain),
    erc20,
    feeds: feedActions(chain, at.feeds, at.multicall3),
    uniswapV2: uniswapV2Actions(chain, at.uniswapV2, erc20),
    uniswapV3: uniswapV3Actions(chain, at.uniswapV3, erc20),
    uniswapV4: uniswapV4Actions(chain, { ...at.uniswapV4, ...at.local }, erc20),
    aaveV3: aaveV3Actions(chain, at.aaveV3, erc20),
    aaveV2: aaveV2Actions(chain, at.aaveV2, erc20),
    compoundV2: compoundV2Actions(chain, compound, erc20),
    compoundV3: compoundV3Actions(chain, at.compoundV3, erc20),
    morpho: morphoActions(chain, at.morpho, erc20),
    euler: eulerActions(chain, at.euler, erc20),
    vault: vaultActions(chain, { vault: at.local.vault, asset: at.tokens.usdc }, erc20),
    lido: lidoActions(chain, at.lido, erc20),
    ethena: ethenaActions(chain, at.ethena, erc20),
    safetyModule: safetyModuleActions(chain, at.safetyModule, erc20),
    stakingRewards: stakingRewardsActions(chain, erc20),
    pendle: pendleActions(chain, at.pendle, erc20),
    pancakeV3: uniswapV3Actions(chain, at.pancakeV3, erc20),
    pancakeChef: pancakeChefActions(chain, { ...at.pancakeV3, mining: at.local.liquidityMining }, erc20),
  }
}

export const baseActions = (chain: DevChain) => {
  const at = addresses.base
  const erc20 = erc20Actions(chain, at.tokens.weth)
  return {
    native: nativeActions(chain),
    erc20,
    feeds: feedActions(chain, at.feeds, at.multicall3),
    uniswapV2: uniswapV2Actions(chain, at.uniswapV2, erc20),
    uniswapV3: uniswapV3Actions(chain, at.uniswapV3, erc20),
    aaveV3: aaveV3Actions(chain, at.aaveV3, erc20),
    vault: vaultActions(chain, { vault: at.local.vault, asset: at.tokens.usdc }, erc20),
  }
}

export type EthereumActions = ReturnType<typeof ethereumActions>
export type BaseActions = ReturnType<typeof baseActions>
