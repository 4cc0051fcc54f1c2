import { type Address, encodeFunctionData, erc20Abi, parseAbi, zeroAddress } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'

/** Fluid's address of the native coin. */
export const FLUID_COIN: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

const MOST = 2n ** 255n
const COIN_DECIMALS = 18n

const factoryAbi = parseAbi([
  'function allTokens() view returns (address[])',
  'function createToken(address liquidity, address asset)',
  'function createSmartToken(address dex)',
])
const vaultsAbi = parseAbi([
  'struct Setup { address liquidity; address factory; address deployer; uint256 oracle; address supply; address borrow; address supplyToken; address borrowToken; bool isOld; }',
  'function deployVault(Setup setup)',
  'function totalVaults() view returns (uint256)',
  'function getVaultAddress(uint256 vaultId) view returns (address)',
])
const mintableAbi = parseAbi(['function mint(address account, uint256 value)'])
const dexAbi = parseAbi([
  'function open(uint256 amount0, uint256 amount1, uint256 debt0, uint256 debt1, uint256 shares) payable',
])
const oracleAbi = parseAbi(['function set(uint256 price)'])

export type Fluid = {
  liquidity: Address
  vaultFactory: Address
  lendingFactory: Address
  smartLendingFactory: Address
}

export const deployFluid = async (chain: DevChain): Promise<Fluid> => ({
  liquidity: await chain.deploy(ownArtifact('FluidLiquidity')),
  vaultFactory: await chain.deploy(ownArtifact('FluidVaultFactory')),
  lendingFactory: await chain.deploy(ownArtifact('FluidTokenFactory')),
  smartLendingFactory: await chain.deploy(ownArtifact('FluidTokenFactory')),
})

export const fundFluid = async (
  chain: DevChain,
  { liquidity }: Fluid,
  tokens: readonly (readonly [Address, bigint])[],
) => {
  for (const [token, amount] of tokens) {
    if (token === FLUID_COIN) await chain.client.setBalance({ address: liquidity, value: amount })
    else {
      await chain.write({
        ...{ from: accounts.deployer, address: token, abi: mintableAbi, functionName: 'mint' },
        args: [liquidity, amount],
      })
    }
  }
}

export const addFluidToken = async (chain: DevChain, at: Fluid, asset: Address): Promise<Address> => {
  const call = { from: accounts.deployer, address: at.lendingFactory, abi: factoryAbi } as const
  await chain.write({ ...call, functionName: 'createToken', args: [at.liquidity, asset] })
  return lastToken(chain, at.lendingFactory)
}

export const addFluidSmartToken = async (chain: DevChain, at: Fluid, dex: Address): Promise<Address> => {
  const call = { from: accounts.deployer, address: at.smartLendingFactory, abi: factoryAbi } as const
  await chain.write({ ...call, functionName: 'createSmartToken', args: [dex] })
  return lastToken(chain, at.smartLendingFactory)
}

const lastToken = async (chain: DevChain, factory: Address): Promise<Address> => {
  const all = await chain.client.readContract({ address: factory, abi: factoryAbi, functionName: 'allTokens' })
  return all.at(-1) ?? zeroAddress
}

type Pool = { token: Address; decimals: bigint; collateral: bigint; debt: bigint }

/** A thousand shares of collateral and of debt. The second token may be the native coin. */
export const addFluidDex = async (
  chain: DevChain,
  at: Fluid,
  [first, second]: readonly [Pool, Pool],
): Promise<Address> => {
  const from = accounts.deployer
  const dex = await chain.deploy(ownArtifact('FluidDex'), [
    ...[at.liquidity, first.token, second.token, first.decimals, second.decimals],
  ])
  const isCoin = second.token === FLUID_COIN
  for (const { token, collateral } of isCoin ? [first] : [first, second]) {
    await chain.write({ from, address: token, abi: mintableAbi, functionName: 'mint', args: [from, collateral] })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [dex, MOST] })
    await chain.send({ from, to: token, data })
  }
  if (isCoin) await chain.client.setBalance({ address: from, value: second.collateral + 10n ** (COIN_DECIMALS + 3n) })
  await chain.write({
    ...{ from, address: dex, abi: dexAbi, functionName: 'open' },
    args: [first.collateral, second.collateral, first.debt, second.debt, 1_000n * 10n ** 18n],
    ...(isCoin && { value: second.collateral }),
  })
  return dex
}

type Side = { token: Address } | { dex: Address }
type VaultSetup = { supply: Side; borrow: Side; isOld?: boolean }

/** Its oracle has no price. `isOld`: of the generation without types. */
export const addFluidVault = async (
  chain: DevChain,
  at: Fluid,
  { supply, borrow, isOld = false }: VaultSetup,
): Promise<{ vaultId: bigint; vault: Address; oracle: Address }> => {
  const from = accounts.deployer
  const nonce = await chain.client.getTransactionCount({ address: from })
  const oracle = await chain.deploy(ownArtifact('FluidOracle'))
  const dexOf = (side: Side) => ('dex' in side ? side.dex : zeroAddress)
  const tokenOf = (side: Side) => ('token' in side ? side.token : zeroAddress)
  const setup = {
    ...{ liquidity: at.liquidity, factory: at.vaultFactory, deployer: from, isOld },
    oracle: isOld ? BigInt(oracle) : BigInt(nonce),
    ...{ supply: dexOf(supply), borrow: dexOf(borrow), supplyToken: tokenOf(supply), borrowToken: tokenOf(borrow) },
  }
  const factory = { address: at.vaultFactory, abi: vaultsAbi } as const
  await chain.write({ from, ...factory, functionName: 'deployVault', args: [setup] })
  const vaultId = await chain.client.readContract({ ...factory, functionName: 'totalVaults' })
  const vault = await chain.client.readContract({ ...factory, functionName: 'getVaultAddress', args: [vaultId] })
  return { vaultId, vault, oracle }
}

/** Debt per unit of collateral in base units, 27 decimals. 0: none. */
export const setFluidPrice = (chain: DevChain, oracle: Address, price: bigint) =>
  chain.write({ from: accounts.deployer, address: oracle, abi: oracleAbi, functionName: 'set', args: [price] })
