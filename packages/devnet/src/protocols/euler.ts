import {
  type Abi,
  type Address,
  concat,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  pad,
  parseAbi,
  parseEther,
  toHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { addresses } from '../addresses.ts'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'

type Deployment = {
  evc: Address
  factory: Address
  earnFactory: Address
  perspective: Address
  oracle: Address
  rates: Address
}

const { tokens, euler: at } = addresses.ethereum
/** ISO 4217 number of US dollars. */
const USD: Address = pad(toHex(840), { size: 20 })
const YEAR_SECONDS = 31_536_000n
/** Limit of the vaults: 100 % a year, per second, in ray. */
const MOST_RATE = 10n ** 27n / YEAR_SECONDS
const LTV = { borrow: 8_000, liquidation: 8_500 } as const
const EARN_FEE = parseEther('0.1')
const EARN_NAMES = ['Euler Earn USDC', 'eeUSDC'] as const

/** In US dollars with 18 decimals per 1e18 base units. */
const PRICES: readonly (readonly [Address, bigint])[] = [
  [tokens.usdc, 10n ** 30n],
  [tokens.weth, 3000n * 10n ** 18n],
  [tokens.wbtc, 60_000n * 10n ** 28n],
]

const vaultAt = (nonce: bigint): Address => getContractAddress({ from: at.factory, nonce })

/** In creation order. `escrow` does not lend, `earn` lends through `usdc`. */
export const eulerVaults = (): { usdc: Address; weth: Address; escrow: Address; earn: Address } => {
  const { abi, bytecode } = ownArtifact('EulerEarnVault')
  const args = [accounts.deployer, at.evc, tokens.usdc, ...EARN_NAMES]
  const created = encodeDeployData({ abi, bytecode, args })
  const from = at.earnFactory
  const earn = getContractAddress({ opcode: 'CREATE2', from, salt: zeroHash, bytecode: created })
  return { usdc: vaultAt(1n), weth: vaultAt(2n), escrow: vaultAt(3n), earn }
}

export const eulerDebtToken = (vault: Address): Address => getContractAddress({ from: vault, nonce: 1n })

/** Account 0 is the wallet. The others share its first 19 bytes. */
export const eulerAccount = (wallet: Address, number: number): Address =>
  pad(toHex(BigInt(wallet) ^ BigInt(number)), { size: 20 })

const vaultAbi = parseAbi([
  'function asset() view returns (address)',
  'function deposit(uint256 assets, address receiver) returns (uint256 shares)',
  'function withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function borrow(uint256 assets, address receiver) returns (uint256)',
  'function repay(uint256 assets, address receiver) returns (uint256)',
  'function repayWithShares(uint256 assets, address receiver) returns (uint256 shares, uint256 assets)',
  'function pullDebt(uint256 assets, address from)',
  'function disableController()',
  'function liquidate(address violator, address collateral, uint256 repayAssets, uint256 minYield)',
])
const connectorAbi = parseAbi([
  'struct Item { address targetContract; address onBehalfOfAccount; uint256 value; bytes data; }',
  'function batch(Item[] items) payable',
  'function enableCollateral(address account, address vault) payable',
  'function disableCollateral(address account, address vault) payable',
  'function enableController(address account, address vault) payable',
])
const ABI: Abi = [...vaultAbi, ...connectorAbi]

export const deployEuler = async (chain: DevChain, to: Deployment): Promise<void> => {
  const own = (address: Address, name: string, functionName: string, args: readonly unknown[]) =>
    chain.admin(address, ownArtifact(name), functionName, args)
  await chain.deployTo(to.evc, ownArtifact('EulerConnector'))
  await chain.deployTo(to.factory, ownArtifact('EulerVaultFactory'), [to.evc])
  await chain.deployTo(to.earnFactory, ownArtifact('EulerEarnFactory'), [to.evc])
  await chain.deployTo(to.perspective, ownArtifact('EulerPerspective'), [accounts.deployer])
  await chain.deployTo(to.oracle, ownArtifact('EulerOracle'))
  await chain.deployTo(to.rates, ownArtifact('EulerRates'), [MOST_RATE])
  const actions = creatorActions(chain, to)
  for (const [token, price] of PRICES) await actions.setPrice(token, price)
  const { usdc, weth, escrow, earn } = eulerVaults()
  for (const asset of [tokens.usdc, tokens.weth]) await actions.createVault(asset, to.oracle)
  await actions.createVault(tokens.wbtc, zeroAddress)
  for (const vault of [usdc, weth, escrow]) await own(to.oracle, 'EulerOracle', 'trust', [vault])
  for (const vault of [usdc, weth]) await own(vault, 'EulerVault', 'setInterestRateModel', [to.rates])
  await actions.accept(usdc, weth)
  await actions.accept(usdc, escrow)
  await actions.accept(weth, usdc)
  const names = [accounts.deployer, 0n, tokens.usdc, ...EARN_NAMES, zeroHash]
  await own(to.earnFactory, 'EulerEarnFactory', 'createEulerEarn', names)
  await own(earn, 'EulerEarnVault', 'addStrategy', [usdc])
  await own(earn, 'EulerEarnVault', 'setFee', [EARN_FEE, accounts.deployer])
}

const creatorActions = (chain: DevChain, to: Deployment) => {
  const own = (address: Address, name: string, functionName: string, args: readonly unknown[]) =>
    chain.admin(address, ownArtifact(name), functionName, args)
  return {
    /** In US dollars with 18 decimals per 1e18 base units. */
    setPrice: (asset: Address, price: bigint) => own(to.oracle, 'EulerOracle', 'set', [asset, price]),
    turnOracle: (answers: 'honest' | 'reverts' | 'burnsGas') =>
      own(to.oracle, 'EulerOracle', 'turn', [['honest', 'reverts', 'burnsGas'].indexOf(answers)]),
    createVault: async (asset: Address, oracle: Address): Promise<Address> => {
      const nonce = BigInt(await chain.client.getTransactionCount({ address: to.factory }))
      const facts: Hex = concat([asset, oracle, USD])
      await own(to.factory, 'EulerVaultFactory', 'createProxy', [true, facts])
      return getContractAddress({ from: to.factory, nonce })
    },
    accept: (vault: Address, collateral: Address) =>
      own(vault, 'EulerVault', 'setLTV', [collateral, LTV.borrow, LTV.liquidation]),
    charge: (vault: Address) => own(vault, 'EulerVault', 'setInterestRateModel', [to.rates]),
    trust: (vault: Address) => own(to.oracle, 'EulerOracle', 'trust', [vault]),
    verify: (vault: Address) => own(to.perspective, 'EulerPerspective', 'perspectiveVerify', [vault, true]),
  }
}

/** Calls to the connector itself are on behalf of no account. */
export type EulerStep = readonly [as: Address, to: Address, name: string, ...args: readonly unknown[]]

export const eulerActions = (chain: DevChain, to: Deployment, erc20: Erc20Actions) => {
  const connector = { address: to.evc, abi: connectorAbi } as const
  const allowAsset = async (wallet: Address, vault: Address) => {
    const asset = await chain.client.readContract({ address: vault, abi: vaultAbi, functionName: 'asset' })
    await erc20.allow(asset, wallet, vault)
  }
  const encode = (name: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: ABI, functionName: name, args: [...args] })
  return {
    ...creatorActions(chain, to),
    batch: async (wallet: Address, steps: readonly EulerStep[]) => {
      for (const [, vault, name] of steps) {
        if (name === 'deposit' || name === 'repay') await allowAsset(wallet, vault)
      }
      const items = steps.map(([as, target, name, ...args]) => ({
        ...{ targetContract: target, onBehalfOfAccount: target === to.evc ? zeroAddress : as },
        ...{ value: 0n, data: encode(name, args) },
      }))
      return chain.write({ from: wallet, ...connector, functionName: 'batch', args: [items] })
    },
    call: async (wallet: Address, target: Address, name: string, ...args: readonly unknown[]) => {
      if (name === 'deposit' || name === 'repay') await allowAsset(wallet, target)
      return chain.send({ from: wallet, to: target, data: encode(name, args) })
    },
  }
}
