import { type Address, parseAbi, parseEther } from 'viem'
import { addresses } from '../addresses.ts'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import type { Erc20Actions } from './erc20.ts'

const YEAR_SECONDS = 365n * 86_400n
const abi = parseAbi([
  'function _addEmissionConfig(address mToken, address owner, address emissionToken, uint256 supplyPerSec, uint256 borrowPerSec, uint256 endTime)',
])

/**
 * This project's Moonwell distributor, for a year. `token` pays both sides of the markets of ether and DAI, `other` one
 * side each.
 */
export async function deployMarketRewards(
  chain: DevChain,
  erc20: Erc20Actions,
  [token, other]: readonly [Address, Address],
): Promise<Address> {
  const { comptroller, markets } = addresses.ethereum.compoundV2
  const address = await chain.deploy(ownArtifact('MarketRewards'), [comptroller])
  const { timestamp } = await chain.client.getBlock()
  const add = { from: address, address, abi, functionName: '_addEmissionConfig' } as const
  const [some, more] = [parseEther('0.0003'), parseEther('0.00701')]
  for (const [market, paid, supply, borrow] of [
    [markets.ceth, token, some, more],
    [markets.ceth, other, more, 0n],
    [markets.cdai, token, 1n, some],
    [markets.cdai, other, 0n, some],
  ] as const) {
    await chain.write({ ...add, args: [market, address, paid, supply, borrow, timestamp + YEAR_SECONDS] })
    await erc20.mint(paid, address, parseEther('1000000'))
  }
  return address
}
