import type { DevChain, ethereumActions } from '@coffer/devnet'
import { type Address, parseAbi } from 'viem'
import { type Contract, contractOf, deployOwn } from './contract-of.ts'

export type SolidlyPool = { pool: Contract; gauge: Contract; token0: Address; token1: Address; isStable: boolean }

const gaugeAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function deposit(uint256 amount)',
  'function deposit(uint256 amount, address to)',
  'function withdraw(uint256 amount)',
  'function getReward(address owner)',
])

export const solidlyGauge = async (chain: DevChain, voter: Contract, pool: Address) =>
  contractOf(chain, await voter.read<Address>('gauges', pool), gaugeAbi)

/** Makes a pool, and its gauge by a `SolidlyVoter` or `SolidlyVotes`. */
export async function openSolidlyPool(
  chain: DevChain,
  { factory, voter, owner }: { factory: Contract; voter: Contract; owner: Address },
  pair: readonly [Address, Address],
  isStable = false,
): Promise<SolidlyPool> {
  await factory.write(owner, 'createPool', ...pair, isStable)
  const pool = contractOf(chain, await factory.read<Address>('getPool', ...pair, isStable), 'SolidlyPool')
  await voter.write(owner, 'createGauge', pool.address)
  return {
    ...{ pool, gauge: await solidlyGauge(chain, voter, pool.address), isStable },
    token0: await pool.read<Address>('token0'),
    token1: await pool.read<Address>('token1'),
  }
}

const escrowAbi = parseAbi([
  'function tokenId() view returns (uint256)',
  'function createLock(uint256 value, uint256 duration)',
  'function createLockFor(uint256 value, uint256 duration, address to)',
  'function createManagedLockFor(address to)',
  'function increaseAmount(uint256 id, uint256 value)',
  'function increaseUnlockTime(uint256 id, uint256 duration)',
  'function lockPermanent(uint256 id)',
  'function merge(uint256 from, uint256 to)',
  'function split(uint256 from, uint256 amount)',
  'function withdraw(uint256 id)',
  'function managedToFree(uint256 managed) view returns (address)',
  'function locked(uint256 id) view returns (int128 amount, uint256 end, bool isPermanent)',
])
const rewardsAbi = parseAbi([
  'function notifyRewardAmount(address token, uint256 amount)',
  'function getReward(uint256 id, address[] tokens)',
])
const distributorAbi = parseAbi([
  'function notifyRebase(uint256 amount)',
  'function claim(uint256 id) returns (uint256)',
])

type Chain = DevChain & { actions: Pick<ReturnType<typeof ethereumActions>, 'erc20'> }

/** Locks of a token, their distributor, and a voter over pools of these pairs. */
export async function openSolidlyLocks(
  chain: Chain,
  { owner, locked, pairs }: { owner: Address; locked: Address; pairs: readonly (readonly [Address, Address])[] },
) {
  const factory = await deployOwn(chain, 'SolidlyFactory')
  const voter = await deployOwn(chain, 'SolidlyVotes', [locked])
  const escrow = contractOf(chain, await voter.read<Address>('ve'), escrowAbi)
  const distributor = contractOf(chain, await voter.read<Address>('distributor'), distributorAbi)
  const payerAt = (address: Address) => contractOf(chain, address, rewardsAbi)
  const pools: { pool: Address; fees: Contract; bribes: Contract }[] = []
  for (const pair of pairs) {
    const { pool, gauge } = await openSolidlyPool(chain, { factory, voter, owner }, pair)
    await voter.write(owner, 'openVotes', pool.address)
    const fees = payerAt(await voter.read<Address>('gaugeToFees', gauge.address))
    const bribes = payerAt(await voter.read<Address>('gaugeToBribe', gauge.address))
    pools.push({ pool: pool.address, fees, bribes })
  }

  async function give(token: Address, to: Address, amount: bigint, spender: Contract): Promise<void> {
    await chain.actions.erc20.mint(token, to, amount)
    await chain.actions.erc20.allow(token, to, spender.address)
  }

  const lastId = () => escrow.read('tokenId')

  return {
    ...{ voter, escrow, distributor, pools, payerAt, give, lastId },
    row: {
      ...{ family: 'solidly', key: 'solidly', name: 'Solidly', chain: 'ethereum' },
      deployment: {
        ...{ factory: factory.address, voter: voter.address },
        nfts: { escrow: escrow.address, token: locked, distributor: distributor.address },
      },
    },
    /** Takes tokens that the wallet allows the escrow. */
    async lock(wallet: Address, amount: bigint, seconds: number): Promise<bigint> {
      await escrow.write(wallet, 'createLock', amount, BigInt(seconds))
      return lastId()
    },
    /** A lock that takes in those of others. */
    async openRelay(): Promise<bigint> {
      await escrow.write(owner, 'createManagedLockFor', owner)
      return lastId()
    },
    async payVotes(payer: Contract, token: Address, amount: bigint): Promise<void> {
      await give(token, owner, amount, payer)
      await payer.write(owner, 'notifyRewardAmount', token, amount)
    },
    async rebase(amount: bigint): Promise<void> {
      await give(locked, owner, amount, distributor)
      await distributor.write(owner, 'notifyRebase', amount)
    },
  }
}
