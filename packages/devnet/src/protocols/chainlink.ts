import { type Address, encodeFunctionData, parseAbi } from 'viem'
import { packageArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import { multicall3Abi } from './multicall3.ts'

const aggregatorAbi = parseAbi([
  'function latestAnswer() view returns (int256)',
  'function updateAnswer(int256 answer)',
  'function updateRoundData(uint80 roundId, int256 answer, uint256 timestamp, uint256 startedAt)',
  'function latestRound() view returns (uint256)',
])

/** `answer`: the first, in units of 10^-decimals. */
export type FeedFacts = { address: Address; decimals: number; answer: bigint }

export const deployFeeds = async (chain: DevChain, feeds: readonly FeedFacts[]): Promise<void> => {
  const aggregator = packageArtifact('@chainlink/abi', 'v0.7/tests/MockV3Aggregator.json')
  for (const feed of feeds) await chain.deployTo(feed.address, aggregator, [feed.decimals, feed.answer])
}

/** Answers age: call `refresh` where a test needs fresh ones. */
export const feedActions = (chain: DevChain, feeds: Readonly<Record<string, Address>>, multicall3: Address) => {
  const answer = (feed: Address) =>
    chain.client.readContract({ address: feed, abi: aggregatorAbi, functionName: 'latestAnswer' })

  /** Allows zero and negative answers. */
  const set = (feed: Address, value: bigint) =>
    chain.write({
      from: accounts.deployer,
      address: feed,
      abi: aggregatorAbi,
      functionName: 'updateAnswer',
      args: [value],
    })

  /** Makes a feed stale or ahead of its block. */
  const setAt = async (feed: Address, value: bigint, updatedAt: number) => {
    const round = await chain.client.readContract({ address: feed, abi: aggregatorAbi, functionName: 'latestRound' })
    return chain.write({
      from: accounts.deployer,
      address: feed,
      abi: aggregatorAbi,
      functionName: 'updateRoundData',
      args: [round + 1n, value, BigInt(updatedAt), BigInt(updatedAt)],
    })
  }

  /** In one transaction: all have its block's time. */
  const refresh = async () => {
    const calls = await Promise.all(
      Object.values(feeds).map(async (target) => ({
        target,
        allowFailure: false,
        callData: encodeFunctionData({
          abi: aggregatorAbi,
          functionName: 'updateAnswer',
          args: [await answer(target)],
        }),
      })),
    )
    return chain.write({
      from: accounts.deployer,
      address: multicall3,
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
  }

  return { answer, set, setAt, refresh }
}
