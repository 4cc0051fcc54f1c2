import { addresses, type Devnet } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, parseAbi, parseUnits } from 'viem'

export type Offer =
  | { kind: 'token'; token: Address; market: 'v2' | 'v3' | null }
  | { kind: 'share'; pair: Address; token: Address }
  | { kind: 'vault'; vault: Address; sharesRaw: bigint }

const at = addresses.ethereum
const { weth, usdc, link } = at.tokens
const ASSETS = [
  { token: weth, usd: 3000n, decimals: 18 },
  { token: usdc, usd: 1n, decimals: 6 },
  { token: link, usd: 15n, decimals: 18 },
]
const FAR_FUTURE = 2n ** 40n
const MAX = 2n ** 256n - 1n
/** A pair takes no more of a token than 2^112 less what it has. */
const PAIR_ROOM = 2n ** 111n
const GAS = 10_000_000n

const abi = parseAbi([
  'function burn(address to)',
  'function redeem(uint256 shares, address receiver, address owner)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
])

/**
 * Base units that a sale may lose. A v3 pool sells in steps, one per word of its bitmap, and rounds up amount and fee
 * of each; its price leaves that out.
 */
const ROUNDED_RAW = 32n

type Call = { to: Address; data: Hex }
type Simulated = { calls: { status: Hex; returnData: Hex }[] }[]

const balanceOf = (token: Address, owner: Address): Call => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
})

/**
 * In 10^-60 dollars. Takes out all received shares, then sells all received tokens: own transactions through the real
 * routers, which the node runs in order and undoes. `keptRaw`: not sold in a v3 pool.
 */
export async function proceedsOf(
  chain: Devnet['chains']['ethereum'],
  wallet: Address,
  offers: readonly Offer[],
  keptRaw = 0n,
): Promise<bigint> {
  async function run(calls: readonly Call[]): Promise<bigint[]> {
    const sent = calls.map((call) => ({ from: wallet, gas: `0x${GAS.toString(16)}`, ...call }))
    const params = [{ blockStateCalls: [{ calls: sent }], validation: false }, 'latest']
    const [block] = (await chain.client.request({ method: 'eth_simulateV1', params } as never)) as Simulated
    return (block?.calls ?? []).map(({ status, returnData }) =>
      BigInt(status) === 1n && returnData.length === 66 ? hexToBigInt(returnData) : 0n,
    )
  }
  const assets = ASSETS.map(({ token }) => balanceOf(token, wallet))
  const shares = await run(offers.map((offer) => balanceOf(offer.kind === 'share' ? offer.pair : weth, wallet)))
  const takenOut = offers.flatMap((offer, i) => takeOut(offer, wallet, shares[i] ?? 0n))
  const held = await run([...takenOut, ...offers.map((offer) => balanceOf(soldOf(offer), wallet))])
  const sales = offers.flatMap((offer, i) => sell(offer, wallet, held[takenOut.length + i] ?? 0n, keptRaw))
  const before = await run(assets)
  const after = (await run([...takenOut, ...sales, ...assets])).slice(-assets.length)
  return ASSETS.reduce((sum, { usd, decimals }, i) => {
    const gained = (after[i] ?? 0n) - (before[i] ?? 0n)
    return sum + gained * usd * parseUnits('1', 60 - decimals)
  }, 0n)
}

/** Adds the value of units kept by a v3 pool's rounding. */
export async function mostProceedsOf(...[chain, wallet, offers]: Parameters<typeof proceedsOf>): Promise<bigint> {
  const whole = await proceedsOf(chain, wallet, offers)
  if (!offers.some((offer) => marketOf(offer) === 'v3')) return whole
  return 2n * whole - (await proceedsOf(chain, wallet, offers, ROUNDED_RAW))
}

const soldOf = (offer: Offer): Address => (offer.kind === 'vault' ? offer.vault : offer.token)

function takeOut(offer: Offer, wallet: Address, shareRaw: bigint): Call[] {
  if (offer.kind === 'token') return []
  if (offer.kind === 'vault') {
    const args = [offer.sharesRaw, wallet, wallet] as const
    return [{ to: offer.vault, data: encodeFunctionData({ abi, functionName: 'redeem', args }) }]
  }
  const send = { abi: erc20Abi, functionName: 'transfer', args: [offer.pair, shareRaw] } as const
  return [
    { to: offer.pair, data: encodeFunctionData(send) },
    { to: offer.pair, data: encodeFunctionData({ abi, functionName: 'burn', args: [wallet] }) },
  ]
}

function marketOf(offer: Offer): 'v2' | 'v3' | null {
  if (offer.kind === 'vault') return null
  return offer.kind === 'share' ? 'v2' : offer.market
}

function sell(offer: Offer, wallet: Address, balanceRaw: bigint, keptRaw: bigint): Call[] {
  const market = marketOf(offer)
  const kept = market === 'v3' ? keptRaw : 0n
  const heldRaw = balanceRaw > kept ? balanceRaw - kept : 0n
  if (market === null || heldRaw === 0n) return []
  const token = soldOf(offer)
  const router = market === 'v2' ? at.uniswapV2.router : at.uniswapV3.router
  const allow = { abi: erc20Abi, functionName: 'approve', args: [router, MAX] } as const
  const amounts = heldRaw > PAIR_ROOM ? [heldRaw, PAIR_ROOM] : [heldRaw]
  return [
    { to: token, data: encodeFunctionData(allow) },
    ...amounts.map((amount) => ({
      to: router,
      data: market === 'v2' ? inPair(token, wallet, amount) : inPool(token, wallet, amount),
    })),
  ]
}

const inPair = (token: Address, wallet: Address, amount: bigint): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    args: [amount, 0n, [token, weth], wallet, FAR_FUTURE],
  })

function inPool(token: Address, wallet: Address, amount: bigint): Hex {
  const route = { tokenIn: token, tokenOut: weth, fee: 3000, recipient: wallet, deadline: FAR_FUTURE }
  const params = { ...route, amountIn: amount, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }
  return encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [params] })
}
