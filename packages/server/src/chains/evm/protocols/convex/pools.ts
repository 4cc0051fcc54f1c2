import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolContract } from '../adapter.ts'
import { boosterAbi, extraAbi, poolAbi, sideBoosterAbi, sidePoolAbi, wrapperAbi } from './abi.ts'
import type { Booster, Deployment } from './deployment.ts'

const MOST_EXTRAS = 8
const MOST_REWARDS = 12

type Extra = { pool: EvmAddress; token: EvmAddress }

const SILENT = 'stake'
const VAULT = 'vault'
const LISTING = 'wrapper'
const BESIDE = 'extra'

export const listsRewards = ({ role }: Pick<ProtocolContract, 'role'>) => role === LISTING
export const isBeside = ({ role }: Pick<ProtocolContract, 'role'>) => role === BESIDE

/** The contract states its pool number, and the booster must list it there. */
export async function poolAt(
  reader: EvmReader,
  row: Deployment,
  { address: booster, layout }: Booster,
  address: EvmAddress,
): Promise<ProtocolContract[]> {
  if (layout === 'side') {
    const pid = await reader.tryRead({ address, abi: sidePoolAbi, functionName: 'convexPoolId' })
    const call = { address: booster, abi: sideBoosterAbi, functionName: 'poolInfo' } as const
    const info = pid === undefined ? undefined : await reader.tryRead({ ...call, args: [pid] })
    const isListed = info !== undefined && evmAddress(info[2]) === address
    return isListed ? [await listingStake(reader, address, evmAddress(info[0]))] : []
  }
  const pid = await reader.tryRead({ address, abi: poolAbi, functionName: 'pid' })
  const call = { address: booster, abi: boosterAbi, functionName: 'poolInfo' } as const
  const info = pid === undefined ? undefined : await reader.tryRead({ ...call, args: [pid] })
  if (!info || evmAddress(info[3]) !== address) return []
  return payingStake(reader, row, { address, token: evmAddress(info[0]), isToken: layout === 'vaults' })
}

export async function listingStake(
  reader: EvmReader,
  address: EvmAddress,
  token: EvmAddress,
): Promise<ProtocolContract> {
  const call = { address, abi: sidePoolAbi, functionName: 'rewards' } as const
  const found = await Promise.all(
    Array.from({ length: MOST_REWARDS }, (_, i) => reader.tryRead({ ...call, args: [BigInt(i)] })),
  )
  return { address, role: LISTING, fungible: true, underlyings: [token], alsoShown: known(found) }
}

export async function payingStake(
  reader: EvmReader,
  { bonus }: Deployment,
  { address, token, isToken, paid }: { address: EvmAddress; token: EvmAddress; isToken: boolean; paid?: EvmAddress },
): Promise<ProtocolContract[]> {
  const [reward, extras] = await Promise.all([
    reader.read({ address, abi: poolAbi, functionName: 'rewardToken' }),
    extrasOf(reader, address),
  ])
  const main = paid ? [paid] : [evmAddress(reward), ...(bonus ? [bonus] : [])]
  const alsoShown = [...new Set([...main, ...extras.map((extra) => extra.token)])]
  const data = {
    main: main.join(' '),
    extras: extras.map(({ pool, token: other }) => `${pool} ${other}`).join(','),
    ...(paid && { converting: 'true' }),
  }
  const beside = extras.map(({ pool, token: other }): ProtocolContract => {
    return { address: pool, role: BESIDE, fungible: false, underlyings: [other], data: { main: other } }
  })
  if (isToken) return [{ address, role: VAULT, fungible: true, underlyings: [token], alsoShown, data }, ...beside]
  const underlyings = [token, ...alsoShown]
  return [{ address, role: SILENT, fungible: false, underlyings, data: { ...data, silent: 'true' } }, ...beside]
}

async function extrasOf(reader: EvmReader, address: EvmAddress): Promise<Extra[]> {
  const call = { address, abi: poolAbi, functionName: 'extraRewards' } as const
  const pools = known(
    await Promise.all(Array.from({ length: MOST_EXTRAS }, (_, i) => reader.tryRead({ ...call, args: [BigInt(i)] }))),
  )
  const extras = await Promise.all(
    pools.map(async (pool): Promise<Extra[]> => {
      const reward = await reader.tryRead({ address: pool, abi: extraAbi, functionName: 'rewardToken' })
      if (reward === undefined) return []
      const within = await reader.tryRead({ address: evmAddress(reward), abi: wrapperAbi, functionName: 'token' })
      return [{ pool, token: evmAddress(within ?? reward) }]
    }),
  )
  return extras.flat()
}

const known = (found: readonly (string | undefined)[]) =>
  found.flatMap((one) => (one === undefined || evmAddress(one) === NATIVE ? [] : [evmAddress(one)]))
