import { addresses, type Devnet, v4Payouts } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi, zeroAddress } from 'viem'

type Client = Devnet['chains']['ethereum']['client']
type Amounts = readonly [readonly [token: Address, amountRaw: bigint], readonly [token: Address, amountRaw: bigint]]

const { positionManager } = addresses.ethereum.uniswapV4
const abi = parseAbi([
  'function ownerOf(uint256 id) view returns (address)',
  'function getPoolAndPositionInfo(uint256 tokenId) view returns ((address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key, uint256 info)',
  'function getPositionLiquidity(uint256 tokenId) view returns (uint128)',
  'function nextTokenId() view returns (uint256)',
  'function getEthBalance(address account) view returns (uint256)',
])

/** NFTs with liquidity, asked one by one of the manager. */
export async function openV4Nfts(client: Client, owner: Address, blockNumber: bigint): Promise<bigint[]> {
  const at = { address: positionManager, abi, blockNumber } as const
  const next = await client.readContract({ ...at, functionName: 'nextTokenId' })
  const ids = Array.from({ length: Number(next) - 1 }, (_, i) => BigInt(i + 1))
  const owners = await Promise.all(
    ids.map((id) => client.readContract({ ...at, functionName: 'ownerOf', args: [id] }).catch(() => zeroAddress)),
  )
  const owned = ids.filter((_, i) => owners[i]?.toLowerCase() === owner.toLowerCase())
  const liquidities = await Promise.all(
    owned.map((id) => client.readContract({ ...at, functionName: 'getPositionLiquidity', args: [id] })),
  )
  return owned.filter((_, i) => liquidities[i] !== 0n)
}

/**
 * One simulated block takes fees, then all liquidity; balances are compared. The manager refuses a position without
 * liquidity.
 */
export async function v4Payout(
  client: Client,
  owner: Address,
  tokenId: bigint,
  blockNumber: bigint,
): Promise<{ supplied: Amounts; rewards: Amounts }> {
  const info = { address: positionManager, abi, functionName: 'getPoolAndPositionInfo', args: [tokenId] } as const
  const [key] = await client.readContract({ ...info, blockNumber })
  const { fees, all } = v4Payouts(key, tokenId, owner)
  const look = [balanceCall(key.currency0, owner), balanceCall(key.currency1, owner)]
  const pay = (data: Hex) => ({ from: owner, to: positionManager, data })
  const calls = [...look, pay(fees), ...look, pay(all), ...look]
  const [block] = await client.simulateBlocks({ blockNumber, blocks: [{ calls }] })
  const results = block?.calls ?? []
  for (const { status, error } of results) if (status !== 'success') throw error ?? new Error('a payout reverted')
  const seen = [0, 1, 3, 4, 6, 7].map((place) => BigInt(results[place]?.data ?? '0x'))
  const grown = (place: number): Amounts => [
    [key.currency0, (seen[place + 2] ?? 0n) - (seen[place] ?? 0n)],
    [key.currency1, (seen[place + 3] ?? 0n) - (seen[place + 1] ?? 0n)],
  ]
  return { rewards: grown(0), supplied: grown(2) }
}

function balanceCall(token: Address, owner: Address): { to: Address; data: Hex } {
  if (token !== zeroAddress) {
    return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }) }
  }
  const data = encodeFunctionData({ abi, functionName: 'getEthBalance', args: [owner] })
  return { to: addresses.ethereum.multicall3, data }
}
