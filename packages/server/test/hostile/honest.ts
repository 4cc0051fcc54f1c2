import { addresses, type Devnet } from '@coffer/devnet'
import { type Address, parseEther, parseUnits } from 'viem'
import { readTruth, type Truth } from '../journeys/chain-truth.ts'
import { ONE } from '../journeys/portfolio-lines.ts'

const at = addresses.ethereum
const { tokens } = at

type Chain = Devnet['chains']['ethereum']

/** Equal for all wallets, none growing with time: coins, tokens, a pair, a vault, a position NFT. */
export async function createHonestHoldings(chain: Chain, source: Address) {
  const { erc20, uniswapV2, uniswapV3, vault, native } = chain.actions
  const weth = { token: tokens.weth, amount: parseEther('100') }
  const usdc = { token: tokens.usdc, amount: parseUnits('300000', 6) }
  await native.setBalance(source, parseEther('1000'))
  await erc20.mint(tokens.weth, source, parseEther('300'))
  await erc20.mint(tokens.usdc, source, parseUnits('900000', 6))
  await uniswapV2.add(source, usdc, weth)
  await vault.deposit(source, parseUnits('100000', 6))
  return async function give(wallet: Address): Promise<void> {
    await native.send(source, wallet, parseEther('1'))
    await erc20.mint(tokens.usdc, wallet, parseUnits('1000', 6))
    await erc20.mint(tokens.link, wallet, parseEther('10'))
    await erc20.transfer(at.uniswapV2.pairs.usdcWeth, source, wallet, 10n ** 12n)
    await erc20.transfer(at.local.vault, source, wallet, parseUnits('100', 6))
    const side0 = { token: tokens.usdc, amount: parseUnits('300', 6) }
    const side1 = { token: tokens.weth, amount: parseEther('0.1') }
    for (const { token, amount } of [side0, side1]) await erc20.mint(token, wallet, amount)
    await uniswapV3.mint(wallet, side0, side1, 500, 'full')
  }
}

/** Feed answers in dollars. */
const USD: Readonly<Record<string, bigint>> = {
  '0x0000000000000000000000000000000000000000': 3000n,
  [tokens.weth.toLowerCase()]: 3000n,
  [tokens.usdc.toLowerCase()]: 1n,
  [tokens.link.toLowerCase()]: 15n,
}

/** `usd`: in 10^-60 dollars. */
export async function honestTruth(
  devnet: Devnet,
  wallet: Address,
  block: bigint,
): Promise<{ truth: Truth; usd: bigint }> {
  const truth = await readTruth(devnet, 'ethereum', wallet, block)
  const amounts = [...truth.held, ...truth.positions.flatMap(({ supplied, rewards = [] }) => [...supplied, ...rewards])]
  const usd = amounts.reduce((sum, [token, amountRaw]) => {
    if (amountRaw === 0n) return sum
    const price = USD[token.toLowerCase()]
    if (price === undefined) throw new Error(`${token} is none of the honest holdings`)
    const decimals = token.toLowerCase() === tokens.usdc.toLowerCase() ? 6n : 18n
    return sum + (amountRaw * price * ONE) / 10n ** decimals
  }, 0n)
  return { truth, usd }
}
