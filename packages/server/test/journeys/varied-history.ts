import type { Devnet } from '@coffer/devnet'
import { type Address, type Hex, parseEther, parseUnits, toHex } from 'viem'
import { nodeAt } from '../local-node.ts'
import { type Call, type Cast, type ChainKey, type Reported, variedSteps } from './varied-steps.ts'

/** `time`: Unix seconds of its block. `parties` include the sender. */
export type Deed = Reported & { name: string; wallet: Address; chain: ChainKey; hash: Hex; time: number }

export const DAY_SECONDS = 86_400
const GAS = toHex(3_000_000n)
const POOL_FEE = 500

/** `deeds`: by (time, chain, wallet). `begin`: first second of three days. */
export type Played = { cast: Cast; deeds: readonly Deed[]; begin: number }

/** One block per step. */
export async function playVariedHistory(devnet: Devnet, cast: Cast): Promise<Played> {
  const tokenId = await fund(devnet, cast)
  await outrun(devnet.chains.base, devnet.chains.ethereum)
  const begin = await nextMidnight(devnet)
  const steps = variedSteps({ devnet, cast, tokenId })
    .map((step) => ({ ...step, time: begin + step.day * DAY_SECONDS + secondsOf(step.clock) }))
    .toSorted((a, b) => a.time - b.time || inOrder(a.chain, b.chain))
  const deeds: Deed[] = []
  for (const { name, chain, call, time, reported, reportedOther } of steps) {
    const facts = { name, chain, time, hash: await mine(devnet.chains[chain], time, call) }
    const both = [
      { ...reported, wallet: cast.wallet },
      ...(reportedOther ? [{ ...reportedOther, wallet: cast.other }] : []),
    ].toSorted((a, b) => inOrder(a.wallet, b.wallet))
    deeds.push(...both.map((one) => ({ ...facts, ...one, parties: [call.from, ...one.parties] })))
  }
  return { cast, deeds, begin }
}

const inOrder = (a: string, b: string) => (a < b ? -1 : Number(a > b))
const secondsOf = (clock: string) => Date.parse(`1970-01-01T${clock}Z`) / 1000

/** Returns the ID of the friend's position. */
async function fund({ chains: { ethereum, base } }: Devnet, { friend, outsider }: Cast): Promise<bigint> {
  const { usdc, weth, nova, spam } = ethereum.addresses.tokens
  const { erc20, native, uniswapV3 } = ethereum.actions
  const dollars = parseUnits('10000', 6)
  await native.give(friend, parseEther('10'))
  await base.actions.native.give(friend, parseEther('10'))
  await erc20.mint(usdc, friend, dollars)
  await base.actions.erc20.mint(base.addresses.tokens.usdc, friend, dollars)
  await erc20.mint(weth, friend, parseEther('1'))
  await erc20.mint(nova, friend, parseEther('10'))
  await erc20.mint(spam, outsider, parseEther('1000'))
  const sides = [
    { token: usdc, amount: parseUnits('300', 6) },
    { token: weth, amount: parseEther('0.1') },
  ] as const
  return uniswapV3.mint(friend, ...sides, POOL_FEE, 'full')
}

/** Gives a chain more blocks: their numbers then do not tell the order at one time. */
async function outrun({ client }: Devnet['chains'][ChainKey], other: Devnet['chains'][ChainKey]): Promise<void> {
  const behind = Number((await other.client.getBlockNumber()) - (await client.getBlockNumber()))
  await client.mine({ blocks: Math.max(behind, 0) + 1 })
}

/** Midnight of a day that has begun on neither chain. */
async function nextMidnight({ chains }: Devnet): Promise<number> {
  const blocks = await Promise.all([chains.ethereum, chains.base].map(({ client }) => client.getBlock()))
  const latest = Math.max(...blocks.map(({ timestamp }) => Number(timestamp)), Date.now() / 1000)
  return (Math.floor(latest / DAY_SECONDS) + 1) * DAY_SECONDS
}

/** Mines failures too. */
async function mine({ url }: Devnet['chains'][ChainKey], time: number, call: Call): Promise<Hex> {
  const node = nodeAt(url)
  await node.send('evm_setNextBlockTimestamp', time)
  const { value = 0n, gasPrice = 0n, ...rest } = call
  const sent = { ...rest, value: toHex(value), gasPrice: toHex(gasPrice), gas: GAS }
  const { transactionHash } = await node.send<{ transactionHash: Hex }>('eth_sendTransactionSync', sent)
  return transactionHash
}
