import { type Address, parseAbi, zeroAddress } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'
import type { Erc20Actions } from './erc20.ts'
import { nativeActions } from './native.ts'

type Deployment = { steth: Address; wsteth: Address; withdrawalQueue: Address }

const stethAbi = parseAbi([
  'function submit(address referral) payable returns (uint256)',
  'function report(int256 change)',
  'function transferShares(address to, uint256 amount) returns (uint256)',
])
const wstethAbi = parseAbi([
  'function wrap(uint256 amount) returns (uint256)',
  'function unwrap(uint256 amount) returns (uint256)',
])
const queueAbi = parseAbi([
  'function requestWithdrawals(uint256[] amounts, address owner) returns (uint256[] ids)',
  'function requestWithdrawalsWstETH(uint256[] amounts, address owner) returns (uint256[] ids)',
  'function finalize(uint256 lastId, uint256 maxShareRate) payable',
  'function claimWithdrawals(uint256[] ids, uint256[] hints)',
  'function claimWithdrawalsTo(uint256[] ids, uint256[] hints, address recipient)',
  'function transferFrom(address from, address to, uint256 id)',
  'function getWithdrawalRequests(address owner) view returns (uint256[] ids)',
  'function findCheckpointHints(uint256[] ids, uint256 first, uint256 last) view returns (uint256[] hints)',
  'function unfinalizedStETH() view returns (uint256)',
  'function getLastRequestId() view returns (uint256)',
  'function getLastCheckpointIndex() view returns (uint256)',
])

export const deployLido = async (chain: DevChain, at: Deployment): Promise<void> => {
  await chain.deployTo(at.steth, ownArtifact('StakedEther'))
  await chain.deployTo(at.wsteth, ownArtifact('WrappedStakedEther'), [at.steth])
  await chain.deployTo(at.withdrawalQueue, ownArtifact('WithdrawalQueue'), [at.wsteth, at.steth])
}

export const lidoActions = (chain: DevChain, at: Deployment, erc20: Erc20Actions) => {
  const steth = { address: at.steth, abi: stethAbi } as const
  const wsteth = { address: at.wsteth, abi: wstethAbi } as const
  const queue = { address: at.withdrawalQueue, abi: queueAbi } as const
  const sorted = (ids: readonly bigint[]) => ids.toSorted((a, b) => Number(a - b))
  const hintsOf = async (ids: readonly bigint[]) => {
    const last = await chain.client.readContract({ ...queue, functionName: 'getLastCheckpointIndex' })
    return chain.client.readContract({ ...queue, functionName: 'findCheckpointHints', args: [ids, 1n, last] })
  }
  const lastRequest = () => chain.client.readContract({ ...queue, functionName: 'getLastRequestId' })
  const finalize = async (last: bigint, shareRate: bigint, value: bigint) => {
    await nativeActions(chain).give(accounts.deployer, value)
    return chain.write({ from: accounts.deployer, ...queue, functionName: 'finalize', args: [last, shareRate], value })
  }
  const stake = (wallet: Address, amount: bigint) =>
    chain.write({ from: wallet, ...steth, functionName: 'submit', args: [zeroAddress], value: amount })
  return {
    stake,
    /** New coins: the wallet's balance does not change. */
    submit: async (wallet: Address, amount: bigint) => {
      await nativeActions(chain).give(wallet, amount)
      return stake(wallet, amount)
    },
    wrap: async (wallet: Address, amount: bigint) => {
      await erc20.allow(at.steth, wallet, at.wsteth)
      return chain.write({ from: wallet, ...wsteth, functionName: 'wrap', args: [amount] })
    },
    unwrap: (wallet: Address, amount: bigint) =>
      chain.write({ from: wallet, ...wsteth, functionName: 'unwrap', args: [amount] }),
    transferShares: (from: Address, to: Address, shares: bigint) =>
      chain.write({ from, ...steth, functionName: 'transferShares', args: [to, shares] }),
    /** One NFT per amount of stETH or wstETH. */
    request: async (wallet: Address, amounts: readonly bigint[], owner = wallet, wrapped = false) => {
      await erc20.allow(wrapped ? at.wsteth : at.steth, wallet, at.withdrawalQueue)
      const functionName = wrapped ? 'requestWithdrawalsWstETH' : 'requestWithdrawals'
      return chain.write({ from: wallet, ...queue, functionName, args: [amounts, owner] })
    },
    /** In queue order. */
    requestsOf: (wallet: Address) =>
      chain.client.readContract({ ...queue, functionName: 'getWithdrawalRequests', args: [wallet] }),
    lastRequest,
    /** Rate: ether per share, 27 decimals. No request receives more than it asked for. */
    finalize,
    finalizeAll: async (shareRate: bigint) =>
      finalize(
        await lastRequest(),
        shareRate,
        await chain.client.readContract({ ...queue, functionName: 'unfinalizedStETH' }),
      ),
    claim: async (wallet: Address, ids: readonly bigint[], recipient = wallet) => {
      const hints = await hintsOf(sorted(ids))
      return chain.write({
        ...{ from: wallet, ...queue },
        ...(recipient === wallet
          ? { functionName: 'claimWithdrawals', args: [sorted(ids), hints] }
          : { functionName: 'claimWithdrawalsTo', args: [sorted(ids), hints, recipient] }),
      })
    },
    passRequest: (from: Address, to: Address, id: bigint) =>
      chain.write({ from, ...queue, functionName: 'transferFrom', args: [from, to, id] }),
    /** Daily report: a reward, or a loss if negative. */
    rebase: (change: bigint) =>
      chain.write({ from: accounts.deployer, ...steth, functionName: 'report', args: [change] }),
  }
}
