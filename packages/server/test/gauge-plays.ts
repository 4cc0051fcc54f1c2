import type { Gauges } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import type { HistoryBench } from './history-bench.ts'

const WEEK_SECONDS = 7 * 86_400
const gaugeAbi = parseAbi([
  'function deposit(uint256 amount)',
  'function withdraw(uint256 amount)',
  'function add_reward(address token, address distributor)',
  'function deposit_reward_token(address token, uint256 amount)',
  'function claim_rewards()',
])
const minterAbi = parseAbi(['function mint(address gauge)'])
const escrowAbi = parseAbi([
  'function create_lock(uint256 amount, uint256 end)',
  'function increase_amount(uint256 amount)',
  'function withdraw()',
])
const tokenAbi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

export function gaugePlays({ chain, client }: HistoryBench, { adaptor, minter, escrow, token, holder }: Gauges) {
  const inGauge = (from: Address, address: Address) => ({ from, address, abi: gaugeAbi }) as const
  const inEscrow = (from: Address) => ({ from, address: escrow, abi: escrowAbi }) as const

  return {
    /** 700 units of another token for the week that begins. */
    addReward: async (gauge: Address, reward: Address, giver: Address) => {
      const amount = parseEther('700')
      await chain.write({ ...inGauge(adaptor, gauge), functionName: 'add_reward', args: [reward, giver] })
      await chain.actions.erc20.mint(reward, giver, amount)
      await chain.actions.erc20.allow(reward, giver, gauge)
      await chain.travel(WEEK_SECONDS)
      await chain.write({ ...inGauge(giver, gauge), functionName: 'deposit_reward_token', args: [reward, amount] })
    },
    stake: (from: Address, gauge: Address, amount: bigint) =>
      chain.write({ ...inGauge(from, gauge), functionName: 'deposit', args: [amount] }),
    unstake: (from: Address, gauge: Address, amount: bigint) =>
      chain.write({ ...inGauge(from, gauge), functionName: 'withdraw', args: [amount] }),
    /** Mints the gauge's emissions for the wallet. */
    mint: (from: Address, gauge: Address) =>
      chain.write({ from, address: minter, abi: minterAbi, functionName: 'mint', args: [gauge] }),
    /** Claims other rewards. */
    claim: (from: Address, gauge: Address) => chain.write({ ...inGauge(from, gauge), functionName: 'claim_rewards' }),
    /** Gives emitted tokens, which the spender may take. */
    give: async (wallet: Address, amount: bigint, spender = escrow) => {
      const call = { from: holder, address: token, abi: tokenAbi, functionName: 'transfer' } as const
      await chain.write({ ...call, args: [wallet, amount] })
      await chain.actions.erc20.allow(token, wallet, spender)
    },
    lock: async (from: Address, amount: bigint, weeks: number) => {
      const { timestamp } = await client.getBlock()
      const args = [amount, timestamp + BigInt(weeks * WEEK_SECONDS)] as const
      await chain.write({ ...inEscrow(from), functionName: 'create_lock', args })
    },
    addToLock: (from: Address, amount: bigint) =>
      chain.write({ ...inEscrow(from), functionName: 'increase_amount', args: [amount] }),
    unlock: (from: Address) => chain.write({ ...inEscrow(from), functionName: 'withdraw' }),
  }
}
