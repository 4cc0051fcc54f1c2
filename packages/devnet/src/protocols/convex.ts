import { type Address, parseAbi, zeroAddress } from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import { accounts } from '../wallets.ts'

const boosterAbi = parseAbi([
  'function poolLength() view returns (uint256)',
  'function addPool(address pool)',
  'function setLockRewards(address pool)',
])
const poolAbi = parseAbi(['function addExtraReward(address extra)'])

/** This project's Convex: booster and CVX are one contract. */
export const deployConvex = async (chain: DevChain, crv: Address, { minted, fee }: { minted: bigint; fee: bigint }) => {
  const booster = await chain.deploy(ownArtifact('ConvexBooster'), [minted])
  const cvxCrv = await chain.deploy(ownArtifact('ConvexDepositor'), [crv, fee])
  const staked = await deployPool(chain, { stakingToken: cvxCrv, rewardToken: crv, operator: booster })
  const cvxPool = await deployPool(chain, { stakingToken: booster, rewardToken: crv, depositor: cvxCrv })
  const locker = await chain.deploy(ownArtifact('ConvexLocker'), [booster, cvxCrv])
  const call = { from: accounts.deployer, address: booster, abi: boosterAbi } as const
  await chain.write({ ...call, functionName: 'setLockRewards', args: [staked] })
  return { booster, cvx: booster, cvxCrv, staked, cvxPool, locker }
}

type Pool = {
  stakingToken: Address
  rewardToken: Address
  operator?: Address
  depositor?: Address
  deposits?: Address
  pid?: bigint
  isVault?: boolean
}

const deployPool = (chain: DevChain, { stakingToken, rewardToken, ...rest }: Pool) => {
  const { operator = zeroAddress, depositor = zeroAddress, deposits = zeroAddress } = rest
  const { pid = 0n, isVault = false } = rest
  const setup = { pid, stakingToken, rewardToken, operator, isVault, deposits, depositor }
  return chain.deploy(ownArtifact('ConvexPool'), [setup])
}

/** `isVault`: like Aura's pools. */
export const addConvexPool = async (
  chain: DevChain,
  { booster, share, crv, isVault = false }: { booster: Address; share: Address; crv: Address; isVault?: boolean },
) => {
  const pid = await chain.client.readContract({ address: booster, abi: boosterAbi, functionName: 'poolLength' })
  const pool = await deployPool(chain, { stakingToken: share, rewardToken: crv, operator: booster, pid, isVault })
  const call = { from: accounts.deployer, address: booster, abi: boosterAbi, functionName: 'addPool' } as const
  await chain.write({ ...call, args: [pool] })
  return { pid, pool }
}

/** Adds a pool that pays an additional token. `isWrapped`: via a wrapper. */
export const addConvexExtra = async (chain: DevChain, pool: Address, token: Address, isWrapped = false) => {
  const rewardToken = isWrapped ? await chain.deploy(ownArtifact('StashToken'), [token]) : token
  const extra = await deployPool(chain, { stakingToken: token, rewardToken, deposits: pool })
  const call = { from: accounts.deployer, address: pool, abi: poolAbi, functionName: 'addExtraReward' } as const
  await chain.write({ ...call, args: [extra] })
  return { extra, payer: rewardToken }
}
