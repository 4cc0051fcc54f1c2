import type { TRANSACTION_TYPES } from '@coffer/contract'
import type { Devnet } from '@coffer/devnet'
import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  type Hex,
  maxUint256,
  parseAbi,
  parseEther,
  parseUnits,
} from 'viem'

/** Three days of two wallets on two chains, independent of the service's code. */

export type ChainKey = keyof Devnet['chains']
export type Cast = Record<'wallet' | 'other' | 'friend' | 'outsider' | 'lookalike', Address>

export type Reported = {
  type: (typeof TRANSACTION_TYPES)[number]
  /** Key in the catalog. */
  protocol?: string
  /** Moves something worth less than a cent. */
  isDust?: boolean
  tokenId?: bigint
  /** Without the sender. */
  parties: readonly Address[]
  /** Symbols and names of tokens, protocol and function. */
  words: readonly string[]
}
export type Call = { from: Address; to?: Address; data?: Hex; value?: bigint; gasPrice?: bigint }
type Step = {
  name: string
  chain: ChainKey
  /** Days from the first, and the block's `HH:MM:SS` in UTC. */
  day: number
  clock: string
  call: Call
  reported: Reported
  /** For the second wallet. */
  reportedOther?: Reported
}
type Stage = { devnet: Devnet; cast: Cast /** ID of the friend's position. */; tokenId: bigint }

const GWEI = 10n ** 9n
const FAR_FUTURE = 2n ** 40n
const POOL_FEE = 500
const LAST_TICK = 887_270
const CREATION: Hex = '0x60016000f3'
/** More than a default page. */
const CRUMBS = 25
const COIN = ['ETH', 'Ether']
const USDC = ['USDC', 'USD Coin']
const WETH = ['WETH', 'Wrapped Ether']

const abi = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)',
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
])

const usdc = (figure: string) => parseUnits(figure, 6)
const transfer = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
/** `what`: an amount or NFT ID. */
const transferFrom = (from: Address, to: Address, what: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [from, to, what] })
const supply = (asset: Address, amount: bigint, of: Address) =>
  encodeFunctionData({ abi, functionName: 'supply', args: [asset, amount, of, 0] })
const deposit = (assets: bigint, of: Address) =>
  encodeFunctionData({ abi: erc4626Abi, functionName: 'deposit', args: [assets, of] })

type When = readonly [chain: ChainKey, day: number, clock: string]
const step = (
  name: string,
  [chain, day, clock]: When,
  call: Call,
  reported: Reported,
  reportedOther?: Reported,
): Step => ({
  ...{ name, chain, day, clock, call, reported },
  ...(reportedOther && { reportedOther }),
})

function approval(name: string, when: When, [from, token, spender]: readonly [Address, Address, Address]): Step {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, maxUint256] })
  const reported = { type: 'APPROVAL', parties: [token], words: ['approve'] } as const
  return step(name, when, { from, to: token, data, gasPrice: GWEI }, reported)
}

/** In no order. The first of each chain have the same second. */
export function variedSteps(stage: Stage): Step[] {
  return [...transfers(stage), ...unwanted(stage), ...swaps(stage), ...positions(stage), ...onBase(stage)]
}

function transfers({ devnet: { chains }, cast: { wallet, other, friend } }: Stage): Step[] {
  const { usdc: dollar, nova } = chains.ethereum.addresses.tokens
  const coins = (from: Address, to: Address, figure: string): Call => ({ from, to, value: parseEther(figure) })
  const dollars = (from: Address, to: Address, figure: string): Call => ({
    ...{ from, to: dollar, data: transfer(to, usdc(figure)) },
  })
  const moves = (words: readonly string[], parties: readonly Address[]) => ({ words, parties })
  const transferred = [...USDC, 'transfer']
  return [
    step('coins in', ['ethereum', 0, '00:00:00'], coins(friend, wallet, '5'), {
      ...{ type: 'TRANSFERIN', ...moves(COIN, []) },
    }),
    step('tokens in', ['ethereum', 0, '06:00:00'], dollars(friend, wallet, '5000'), {
      ...{ type: 'TRANSFERIN', ...moves(transferred, [dollar]) },
    }),
    step(
      'coins out',
      ['ethereum', 0, '23:59:59'],
      { ...coins(wallet, friend, '0.5'), gasPrice: GWEI },
      { type: 'TRANSFEROUT', ...moves(COIN, [friend]) },
    ),
    step(
      'tokens to the other',
      ['ethereum', 1, '23:59:59'],
      dollars(wallet, other, '100'),
      { type: 'TRANSFEROUT', ...moves(transferred, [dollar, other]) },
      { type: 'TRANSFERIN', ...moves(transferred, [dollar]) },
    ),
    step(
      'nova in',
      ['ethereum', 2, '03:00:00'],
      { from: friend, to: nova, data: transfer(wallet, parseEther('10')) },
      { type: 'TRANSFERIN', ...moves(['NOVA', 'Nova', 'transfer'], [nova]) },
    ),
  ]
}

function unwanted({ devnet: { chains }, cast: { wallet, friend, outsider, lookalike } }: Stage): Step[] {
  const { usdc: dollar, spam } = chains.ethereum.addresses.tokens
  const own = { from: wallet, gasPrice: GWEI }
  return [
    step(
      'dust',
      ['ethereum', 1, '00:00:00'],
      { from: friend, to: dollar, data: transfer(wallet, 1n) },
      { type: 'TRANSFERIN', isDust: true, parties: [dollar], words: [...USDC, 'transfer'] },
    ),
    step(
      'bait',
      ['ethereum', 1, '07:00:00'],
      { from: outsider, to: spam, data: transfer(wallet, parseEther('1000')) },
      { type: 'SPAM', isDust: true, parties: [spam], words: ['FREENOVA', 'Claim at free-nova.example', 'transfer'] },
    ),
    // Nothing moves to the address that imitates a known one. The token also logs the allowance, zero.
    step(
      'poison',
      ['ethereum', 1, '08:00:00'],
      { from: outsider, to: dollar, data: transferFrom(wallet, lookalike, 0n) },
      { type: 'SPAM', parties: [dollar], words: ['transferFrom'] },
    ),
    step(
      'failure',
      ['ethereum', 1, '11:00:00'],
      { ...own, to: dollar, data: transfer(friend, usdc('1000000')) },
      { type: 'FAILED', parties: [dollar], words: ['transfer'] },
    ),
    step(
      'creation',
      ['ethereum', 2, '12:00:00'],
      { ...own, data: CREATION },
      { type: 'INTERACTION', parties: [], words: [] },
    ),
  ]
}

function swaps({ devnet: { chains }, cast: { wallet } }: Stage): Step[] {
  const { tokens, uniswapV2 } = chains.ethereum.addresses
  const args = [usdc('1000'), 0n, [tokens.usdc, tokens.weth], wallet, FAR_FUTURE] as const
  const data = encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args })
  return [
    approval('swap approval', ['ethereum', 0, '08:00:00'], [wallet, tokens.usdc, uniswapV2.router]),
    step(
      'swap',
      ['ethereum', 0, '10:00:00'],
      { from: wallet, to: uniswapV2.router, data, gasPrice: GWEI },
      {
        ...{ type: 'SWAP', protocol: 'uniswap_v2', parties: [uniswapV2.router, uniswapV2.pairs.usdcWeth] },
        words: [...USDC, ...WETH, 'Uniswap V2', 'swapExactTokensForTokens'],
      },
    ),
  ]
}

function positions({ devnet: { chains }, cast: { wallet, friend }, tokenId }: Stage): Step[] {
  const { tokens, aaveV3, local, uniswapV3 } = chains.ethereum.addresses
  const { manager, pools } = uniswapV3
  const range = { fee: POOL_FEE, tickLower: -LAST_TICK, tickUpper: LAST_TICK }
  const amounts = { amount0Desired: usdc('300'), amount1Desired: parseEther('0.1'), amount0Min: 0n, amount1Min: 0n }
  const position = { token0: tokens.usdc, token1: tokens.weth, ...range, ...amounts, recipient: wallet }
  const mint = encodeFunctionData({ abi, functionName: 'mint', args: [{ ...position, deadline: FAR_FUTURE }] })
  const nft = { isDust: true, tokenId, parties: [manager, friend], words: ['transferFrom'] }
  return [
    approval('loan approval', ['ethereum', 1, '09:00:00'], [wallet, tokens.usdc, aaveV3.pool]),
    step(
      'loan',
      ['ethereum', 1, '10:00:00'],
      { from: wallet, to: aaveV3.pool, data: supply(tokens.usdc, usdc('1000'), wallet) },
      { type: 'LEND', protocol: 'aave_v3', parties: [aaveV3.pool], words: [...USDC, 'Aave V3', 'supply'] },
    ),
    step(
      'NFT in',
      ['ethereum', 2, '00:00:00'],
      { from: friend, to: manager, data: transferFrom(friend, wallet, tokenId) },
      { type: 'TRANSFERIN', ...nft },
    ),
    approval('vault approval', ['ethereum', 2, '01:00:00'], [wallet, tokens.usdc, local.vault]),
    step(
      'vault',
      ['ethereum', 2, '02:00:00'],
      { from: wallet, to: local.vault, data: deposit(usdc('500'), wallet) },
      {
        ...{ type: 'DEPOSIT', protocol: 'nova_vaults', parties: [local.vault] },
        words: [...USDC, 'nvUSDC', 'Nova USD Coin Vault', 'Nova Vaults', 'deposit'],
      },
    ),
    approval('first position approval', ['ethereum', 2, '04:00:00'], [wallet, tokens.usdc, manager]),
    approval('second position approval', ['ethereum', 2, '05:00:00'], [wallet, tokens.weth, manager]),
    step(
      'position',
      ['ethereum', 2, '06:00:00'],
      { from: wallet, to: manager, data: mint },
      {
        ...{ type: 'ADDLIQUIDITY', protocol: 'uniswap_v3', tokenId: tokenId + 1n },
        ...{ parties: [manager, pools.usdcWeth500], words: [...USDC, ...WETH, 'Uniswap V3', 'mint'] },
      },
    ),
    step(
      'NFT out',
      ['ethereum', 2, '07:00:00'],
      { from: wallet, to: manager, data: transferFrom(wallet, friend, tokenId) },
      { type: 'TRANSFEROUT', ...nft },
    ),
  ]
}

function onBase({ devnet: { chains }, cast: { wallet, friend } }: Stage): Step[] {
  const { tokens, aaveV3, local } = chains.base.addresses
  const coins = (name: string, day: number, clock: string, value: bigint): Step =>
    step(
      name,
      ['base', day, clock],
      { from: friend, to: wallet, value },
      {
        ...{ type: 'TRANSFERIN', isDust: value === 1n, parties: [], words: COIN },
      },
    )
  const second = (i: number) => `09:00:${String(i).padStart(2, '0')}`
  return [
    coins('base coins in', 0, '00:00:00', parseEther('1')),
    step(
      'base tokens in',
      ['base', 1, '05:00:00'],
      { from: friend, to: tokens.usdc, data: transfer(wallet, usdc('2000')) },
      { type: 'TRANSFERIN', parties: [tokens.usdc], words: [...USDC, 'transfer'] },
    ),
    approval('base loan approval', ['base', 1, '12:00:00'], [wallet, tokens.usdc, aaveV3.pool]),
    step(
      'base loan',
      ['base', 1, '13:00:00'],
      { from: wallet, to: aaveV3.pool, data: supply(tokens.usdc, usdc('200'), wallet) },
      { type: 'LEND', protocol: 'aave_v3', parties: [aaveV3.pool], words: [...USDC, 'Aave V3', 'supply'] },
    ),
    approval('base vault approval', ['base', 1, '14:00:00'], [wallet, tokens.usdc, local.vault]),
    step(
      'base vault',
      ['base', 1, '15:00:00'],
      { from: wallet, to: local.vault, data: deposit(usdc('300'), wallet) },
      {
        ...{ type: 'DEPOSIT', protocol: 'nova_vaults', parties: [local.vault] },
        words: [...USDC, 'bvUSDC', 'Base USD Coin Vault', 'Nova Vaults', 'deposit'],
      },
    ),
    ...Array.from({ length: CRUMBS }, (_, i) => coins(`base dust ${i}`, 2, second(i), 1n)),
    step(
      'base coins out',
      ['base', 2, '23:59:59'],
      { from: wallet, to: friend, value: parseEther('0.1') },
      { type: 'TRANSFEROUT', parties: [friend], words: COIN },
    ),
  ]
}
