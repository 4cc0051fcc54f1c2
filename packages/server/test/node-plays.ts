import type { DevChain } from '@coffer/devnet'
import { type Address, parseAbi } from 'viem'
import { type Contract, contractOf } from './contract-of.ts'

/** Megapools and minipools. */
const poolAbi = parseAbi([
  'function assign(uint256 bond)',
  'function exit(uint256 exiting, uint256 locked)',
  'function owe(uint256 amount)',
  'function notifyFinalBalance(uint256 balance, uint256 bond)',
  'function distribute()',
  'function claim()',
  'function set(uint8 status, bool vacant, uint256 refunded)',
  'function distributeBalance(bool rewardsOnly)',
  'function refund()',
  'function close()',
])

/** Pools of Rocket Pool nodes. `store`: the contract `RocketNode`. */
export function nodePlays(chain: DevChain) {
  const poolAt = (address: Address) => contractOf(chain, address, poolAbi)
  return {
    megapoolOf: async (store: Contract, node: Address) => poolAt(await store.read<Address>('getMegapoolAddress', node)),
    newestMinipool: async (store: Contract, node: Address) => {
      const count = await store.read('getNodeMinipoolCount', node)
      return poolAt(await store.read<Address>('getNodeMinipoolAt', node, count - 1n))
    },
  }
}
