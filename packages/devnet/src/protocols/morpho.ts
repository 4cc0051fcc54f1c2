import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  parseEther,
  parseUnits,
  zeroAddress,
  zeroHash,
} from 'viem'
import { addresses } from '../addresses.ts'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { compilePackaged } from '../packaged-source.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = {
  blue: Address
  irm: Address
  vaultFactory: Address
  vaultV2Factory: Address
  marketAdapterFactory: Address
  vaultAdapterFactory: Address
  adapter: Address
  oracles: Readonly<Record<string, Address>>
}

/** Its hash is the market's ID. */
export type MarketParams = {
  loanToken: Address
  collateralToken: Address
  oracle: Address
  irm: Address
  lltv: bigint
}

const { tokens, morpho } = addresses.ethereum
const LLTV = parseEther('0.86')
/** Share of the first market's interest. Morpho's fee switch is off on the real chains. */
const MARKET_FEE = parseEther('0.1')
const VAULT_FEE = parseEther('0.15')
/** Limit of Vault V2: 200 % a year, per second. */
const MAX_RATE = parseEther('2') / 31_536_000n

/** The idle market does not lend. */
export const morphoMarkets = {
  wethUsdc: {
    ...{ loanToken: tokens.usdc, collateralToken: tokens.weth, oracle: morpho.oracles.wethUsdc },
    ...{ irm: morpho.irm, lltv: LLTV },
  },
  wbtcWeth: {
    ...{ loanToken: tokens.weth, collateralToken: tokens.wbtc, oracle: morpho.oracles.wbtcWeth },
    ...{ irm: morpho.irm, lltv: LLTV },
  },
  idleUsdc: {
    ...{ loanToken: tokens.usdc, collateralToken: zeroAddress, oracle: zeroAddress },
    ...{ irm: zeroAddress, lltv: 0n },
  },
} as const satisfies Record<string, MarketParams>

const paramsOf = parseAbiParameters(
  'address loanToken, address collateralToken, address oracle, address irm, uint256 lltv',
)

const encodeMarket = ({ loanToken, collateralToken, oracle, irm, lltv }: MarketParams): Hex =>
  encodeAbiParameters(paramsOf, [loanToken, collateralToken, oracle, irm, lltv])

export const marketId = (market: MarketParams): Hex => keccak256(encodeMarket(market))

export const morphoVaults = (): { first: Address; second: Address } => ({
  first: madeBy(morpho.vaultFactory, 'MorphoVault', [accounts.deployer, morpho.blue, tokens.usdc, ...FIRST_NAMES]),
  second: madeBy(morpho.vaultV2Factory, 'MorphoVaultV2', [accounts.deployer, tokens.usdc]),
})

const FIRST_NAMES = ['Morpho USD Coin Vault', 'mvUSDC'] as const

const madeBy = (factory: Address, name: string, args: readonly unknown[]): Address => {
  const { abi, bytecode } = ownArtifact(name)
  const created = encodeDeployData({ abi, bytecode, args: [...args] })
  return getContractAddress({ opcode: 'CREATE2', from: factory, salt: zeroHash, bytecode: created })
}

const PACKAGE = '@morpho-org/morpho-blue'

/** Vaults have no published source: they are this project's. */
export const deployMorpho = async (
  chain: DevChain,
  at: Deployment,
  { weth, markets }: { weth: Address; markets: readonly MarketParams[] },
): Promise<void> => {
  const blue = await compilePackaged(PACKAGE, 'src/Morpho.sol', 'Morpho')
  await chain.deployTo(at.blue, blue, [accounts.deployer])
  await chain.deployTo(at.irm, await compilePackaged(PACKAGE, 'src/mocks/IrmMock.sol', 'IrmMock'))
  for (const oracle of Object.values(at.oracles)) await chain.deployTo(oracle, ownArtifact('SettableOracle'))
  await chain.deployTo(at.vaultFactory, ownArtifact('MorphoVaultFactory'), [at.blue])
  for (const factory of [at.vaultV2Factory, at.marketAdapterFactory, at.vaultAdapterFactory]) {
    await chain.deployTo(factory, ownArtifact('MorphoVaultV2Factory'))
  }
  await chain.deployTo(at.adapter, ownArtifact('MorphoAdapter'), [at.blue, weth])
  const setUp = (functionName: string, args: readonly unknown[]) => chain.admin(at.blue, blue, functionName, args)
  for (const irm of [at.irm, zeroAddress]) await setUp('enableIrm', [irm])
  for (const lltv of [LLTV, 0n]) await setUp('enableLltv', [lltv])
  await setUp('setFeeRecipient', [accounts.deployer])
  for (const market of markets) await setUp('createMarket', [market])
  await setUp('setFee', [morphoMarkets.wethUsdc, MARKET_FEE])
  const actions = oracleActions(chain)
  await actions.setPrice(morphoMarkets.wethUsdc.oracle, 3000n * 10n ** (36n + 6n - 18n))
  await actions.setPrice(morphoMarkets.wbtcWeth.oracle, 20n * 10n ** (36n + 18n - 8n))
}

const MARKET =
  'struct Market { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }'
const blueAbi = parseAbi([
  MARKET,
  'function createMarket(Market market)',
  'function supply(Market market, uint256 assets, uint256 shares, address onBehalf, bytes data)',
  'function withdraw(Market market, uint256 assets, uint256 shares, address onBehalf, address receiver)',
  'function borrow(Market market, uint256 assets, uint256 shares, address onBehalf, address receiver)',
  'function repay(Market market, uint256 assets, uint256 shares, address onBehalf, bytes data)',
  'function supplyCollateral(Market market, uint256 assets, address onBehalf, bytes data)',
  'function withdrawCollateral(Market market, uint256 assets, address onBehalf, address receiver)',
  'function liquidate(Market market, address borrower, uint256 seizedAssets, uint256 repaidShares, bytes data)',
  'function setAuthorization(address authorized, bool newIsAuthorized)',
  'function isAuthorized(address owner, address manager) view returns (bool)',
  'function accrueInterest(Market market)',
])
const oracleAbi = parseAbi([
  'function set(uint256 price)',
  'function turn(uint8 answers)',
  'function price() view returns (uint256)',
])
const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
])

const bundlerAbi = parseAbi([
  MARKET,
  'function multicall(bytes[] calls) payable',
  'function pull(address token, uint256 amount)',
  'function sweep(address token, address to)',
  'function wrap()',
  'function unwrap(address to)',
  'function supply(Market market, uint256 assets, address onBehalf)',
  'function withdraw(Market market, uint256 assets, uint256 shares, address receiver)',
  'function supplyCollateral(Market market, uint256 assets, address onBehalf)',
  'function withdrawCollateral(Market market, uint256 assets, address receiver)',
  'function borrow(Market market, uint256 assets, address receiver)',
  'function repay(Market market, uint256 assets, uint256 shares)',
  'function deposit(address asset, address vault, uint256 assets, address receiver)',
  'function redeem(address vault, uint256 shares, address receiver)',
])

const oracleActions = (chain: DevChain) => ({
  /** Loan token per unit of collateral, 36 further digits. */
  setPrice: (oracle: Address, price: bigint) =>
    chain.write({ from: accounts.deployer, address: oracle, abi: oracleAbi, functionName: 'set', args: [price] }),
  turnOracle: (oracle: Address, answers: 'honest' | 'reverts' | 'burnsGas') => {
    const args = [['honest', 'reverts', 'burnsGas'].indexOf(answers)] as const
    return chain.write({ from: accounts.deployer, address: oracle, abi: oracleAbi, functionName: 'turn', args })
  },
  price: (oracle: Address) => chain.client.readContract({ address: oracle, abi: oracleAbi, functionName: 'price' }),
})

/** In assets or shares. */
type Size = bigint | { shares: bigint }
const sizeOf = (size: Size): [bigint, bigint] => (typeof size === 'bigint' ? [size, 0n] : [0n, size.shares])

type BundleStep = readonly [name: string, ...args: readonly unknown[]]

const callOwn = (chain: DevChain) => (address: Address, name: string, functionName: string, args: readonly unknown[]) =>
  chain.admin(address, ownArtifact(name), functionName, args)

/** `first`: MetaMorpho. `second`: Vault V2. */
const vaultActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const own = callOwn(chain)

  /** Creates an adapter for V2, at the factory's next address. */
  const addAdapter = async (
    vault: Address,
    kind: 'createMarketAdapter' | 'createVaultAdapter',
    target: Address,
  ): Promise<Address> => {
    const factory = kind === 'createMarketAdapter' ? at.marketAdapterFactory : at.vaultAdapterFactory
    const nonce = BigInt(await chain.client.getTransactionCount({ address: factory }))
    await own(factory, 'MorphoVaultV2Factory', kind, [vault, target])
    const adapter = getContractAddress({ from: factory, nonce })
    await own(vault, 'MorphoVaultV2', 'addAdapter', [adapter])
    return adapter
  }

  const openVaults = async (asset: Address) => {
    const { first, second } = morphoVaults()
    const made = [accounts.deployer, 0n, asset, ...FIRST_NAMES, zeroHash]
    await own(at.vaultFactory, 'MorphoVaultFactory', 'createMetaMorpho', made)
    await own(at.vaultV2Factory, 'MorphoVaultV2Factory', 'createVaultV2', [accounts.deployer, asset, zeroHash])
    await own(first, 'MorphoVault', 'setCap', [marketId(morphoMarkets.wethUsdc), parseUnits('500000', 6)])
    await own(first, 'MorphoVault', 'setCap', [marketId(morphoMarkets.idleUsdc), maxUint256])
    await own(first, 'MorphoVault', 'setFee', [VAULT_FEE, accounts.deployer])
    const adapter = await addAdapter(second, 'createMarketAdapter', at.blue)
    const liquidity = [adapter, encodeMarket(morphoMarkets.wethUsdc)]
    await own(second, 'MorphoVaultV2', 'setLiquidityAdapterAndData', liquidity)
    await own(second, 'MorphoVaultV2', 'setMaxRate', [MAX_RATE])
    await own(second, 'MorphoVaultV2', 'setPerformanceFee', [VAULT_FEE, accounts.deployer])
    return { first, second }
  }

  return {
    own,
    addAdapter,
    openVaults,
    deposit: async (wallet: Address, vault: Address, assets: bigint, receiver: Address = wallet) => {
      const asset = await chain.client.readContract({ address: vault, abi: vaultAbi, functionName: 'asset' })
      await erc20.allow(asset, wallet, vault)
      const args = [assets, receiver] as const
      return chain.write({ from: wallet, address: vault, abi: vaultAbi, functionName: 'deposit', args })
    },
    redeem: (wallet: Address, vault: Address, shares: bigint) => {
      const args = [shares, wallet, wallet] as const
      return chain.write({ from: wallet, address: vault, abi: vaultAbi, functionName: 'redeem', args })
    },
  }
}

const blueActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const blue = { address: at.blue, abi: blueAbi } as const
  return {
    createMarket: (market: MarketParams) =>
      chain.write({ from: accounts.deployer, ...blue, functionName: 'createMarket', args: [market] }),
    accrue: (market: MarketParams) =>
      chain.write({ from: accounts.deployer, ...blue, functionName: 'accrueInterest', args: [market] }),
    supply: async (wallet: Address, market: MarketParams, size: Size, onBehalf: Address = wallet) => {
      await erc20.allow(market.loanToken, wallet, at.blue)
      const args = [market, ...sizeOf(size), onBehalf, '0x'] as const
      return chain.write({ from: wallet, ...blue, functionName: 'supply', args })
    },
    withdraw: (wallet: Address, market: MarketParams, size: Size, receiver: Address = wallet) => {
      const args = [market, ...sizeOf(size), wallet, receiver] as const
      return chain.write({ from: wallet, ...blue, functionName: 'withdraw', args })
    },
    borrow: (wallet: Address, market: MarketParams, size: Size, receiver: Address = wallet) => {
      const args = [market, ...sizeOf(size), wallet, receiver] as const
      return chain.write({ from: wallet, ...blue, functionName: 'borrow', args })
    },
    repay: async (wallet: Address, market: MarketParams, size: Size, onBehalf: Address = wallet) => {
      await erc20.allow(market.loanToken, wallet, at.blue)
      const args = [market, ...sizeOf(size), onBehalf, '0x'] as const
      return chain.write({ from: wallet, ...blue, functionName: 'repay', args })
    },
    supplyCollateral: async (wallet: Address, market: MarketParams, assets: bigint, onBehalf: Address = wallet) => {
      await erc20.allow(market.collateralToken, wallet, at.blue)
      const args = [market, assets, onBehalf, '0x'] as const
      return chain.write({ from: wallet, ...blue, functionName: 'supplyCollateral', args })
    },
    withdrawCollateral: (wallet: Address, market: MarketParams, assets: bigint, receiver: Address = wallet) => {
      const args = [market, assets, wallet, receiver] as const
      return chain.write({ from: wallet, ...blue, functionName: 'withdrawCollateral', args })
    },
    liquidate: async (liquidator: Address, market: MarketParams, borrower: Address, seized: bigint) => {
      await erc20.allow(market.loanToken, liquidator, at.blue)
      const args = [market, borrower, seized, 0n, '0x'] as const
      return chain.write({ from: liquidator, ...blue, functionName: 'liquidate', args })
    },
  }
}

const bundlerActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const blue = { address: at.blue, abi: blueAbi } as const
  const authorize = async (wallet: Address, manager: Address) => {
    if (await chain.client.readContract({ ...blue, functionName: 'isAuthorized', args: [wallet, manager] })) return
    await chain.write({ from: wallet, ...blue, functionName: 'setAuthorization', args: [manager, true] })
  }
  return {
    authorize,
    bundle: async (wallet: Address, steps: readonly BundleStep[], value = 0n) => {
      const abi: Abi = bundlerAbi
      for (const [name, token] of steps) if (name === 'pull') await erc20.allow(token as Address, wallet, at.adapter)
      await authorize(wallet, at.adapter)
      const calls = steps.map(([functionName, ...args]) => encodeFunctionData({ abi, functionName, args: [...args] }))
      const call = { address: at.adapter, abi: bundlerAbi, functionName: 'multicall', args: [calls] } as const
      return chain.write({ from: wallet, ...call, value })
    },
  }
}

export const morphoActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => ({
  ...oracleActions(chain),
  ...blueActions(chain, at, erc20),
  ...vaultActions(chain, at, erc20),
  ...bundlerActions(chain, at, erc20),
})
