import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { addresses } from '../addresses.ts'
import { ownArtifact } from '../artifact.ts'
import { algebraActions, deployAlgebra } from '../protocols/algebra.ts'
import { collector, type Exhibit, provider, row, type Stage } from './stage.ts'

const { tokens } = addresses.ethereum
const LOCK_SECONDS = 2 * 365 * 86_400

const depositAbi = parseAbi(['function deposit(uint256 amount)'])
const solidlyAbi = parseAbi([
  'function ve() view returns (address)',
  'function distributor() view returns (address)',
  'function openVotes(address pool)',
  'function vote(uint256 id, address[] pools, uint256[] parts)',
  'function createPool(address one, address other, bool stable) returns (address)',
  'function getPool(address one, address other, bool stable) view returns (address)',
  'function createGauge(address pool) returns (address)',
  'function gauges(address pool) view returns (address)',
  'function mint(address to) returns (uint256)',
])
const escrowAbi = parseAbi([
  'function tokenId() view returns (uint256)',
  'function createLock(uint256 value, uint256 duration) returns (uint256)',
])

/** Shares in wallet and gauge, and a lock that votes for the pool. */
export const openSolidly: Exhibit = async (stage) => {
  const { chain, actions } = stage
  const { erc20 } = actions
  const factory = await chain.deploy(ownArtifact('SolidlyFactory'))
  const voter = await chain.deploy(ownArtifact('SolidlyVotes'), [tokens.uni])
  const call = { from: collector, abi: solidlyAbi } as const
  const pair = [tokens.usdc, tokens.dai, true] as const
  await chain.write({ ...call, address: factory, functionName: 'createPool', args: pair })
  const view = { address: factory, abi: solidlyAbi, functionName: 'getPool', args: pair } as const
  const pool = await chain.client.readContract(view)
  await chain.write({ ...call, address: voter, functionName: 'createGauge', args: [pool] })
  const ofPool = { address: voter, abi: solidlyAbi, functionName: 'gauges', args: [pool] } as const
  const gauge = await chain.client.readContract(ofPool)
  await erc20.mint(tokens.usdc, pool, parseUnits('2000', 6))
  await erc20.mint(tokens.dai, pool, parseEther('2000'))
  await chain.write({ ...call, address: pool, functionName: 'mint', args: [collector] })
  const half = (await erc20.balanceOf(pool, collector)) / 2n
  await erc20.allow(pool, collector, gauge)
  await chain.write({ from: collector, address: gauge, abi: depositAbi, functionName: 'deposit', args: [half] })
  const nfts = await openLock(stage, voter, pool)
  return [row('solidly', 'local_solidly', 'Solidly', { factory, voter, tokens: [tokens.usdc, tokens.dai], nfts })]
}

const openLock = async ({ chain, actions: { erc20 } }: Stage, voter: Address, pool: Address) => {
  const voting = { address: voter, abi: solidlyAbi } as const
  const escrow = await chain.client.readContract({ ...voting, functionName: 've' })
  const distributor = await chain.client.readContract({ ...voting, functionName: 'distributor' })
  await chain.write({ from: provider, ...voting, functionName: 'openVotes', args: [pool] })
  await erc20.mint(tokens.uni, collector, parseEther('200'))
  await erc20.allow(tokens.uni, collector, escrow)
  const at = { address: escrow, abi: escrowAbi } as const
  const args = [parseEther('200'), BigInt(LOCK_SECONDS)] as const
  await chain.write({ from: collector, ...at, functionName: 'createLock', args })
  const id = await chain.client.readContract({ ...at, functionName: 'tokenId' })
  await chain.write({ from: collector, ...voting, functionName: 'vote', args: [id, [pool], [1n]] })
  return { escrow, token: tokens.uni, distributor }
}

export const openAlgebra: Exhibit = async ({ chain, actions: { erc20 } }) => {
  const { factory, manager, ...rest } = await deployAlgebra(chain, 'integral', tokens.weth)
  const algebra = algebraActions(chain, { factory, manager, ...rest }, erc20)
  const usdc = (figure: string) => ({ token: tokens.usdc, amount: parseUnits(figure, 6) })
  const weth = (figure: string) => ({ token: tokens.weth, amount: parseEther(figure) })
  await algebra.createPool(usdc('3000'), weth('1'), provider)
  for (const [wallet, sides, range] of [
    [provider, [usdc('3000000'), weth('1000')], 'full'],
    [collector, [usdc('3000'), weth('1')], { below: 1500, above: 1500 }],
  ] as const) {
    for (const { token, amount } of sides) await erc20.mint(token, wallet, amount)
    await algebra.mint(wallet, ...sides, range)
  }
  return [row('algebra', 'local_algebra', 'Algebra', { factory, manager })]
}
