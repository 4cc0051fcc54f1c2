import { maxUint256, pad, parseAbi, toHex } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { LeftOut, PositionId, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { isDeployed } from '../deployment.ts'
import { type Deployment, deployment, type Engine } from './deployment.ts'
import { lockstakeHistory, OPENED } from './history.ts'
import { lockstakeLens } from './lockstake-lens.bytecode.ts'
import { lockstakeRows } from './rows.ts'

const farmAbi = parseAbi(['function rewardsToken() view returns (address)'])

/**
 * Sky's staking engine: locked SKY earns in a farm and backs a debt in USDS. Each position is an address of its own
 * (urn), named by logs.
 */
export const lockstake: ProtocolAdapter<Deployment> = {
  name: 'lockstake',
  deployment,
  rows: lockstakeRows,
  lenses: [lockstakeLens],

  async discover({ reader, deployment: { engines, lent } }) {
    const found = await Promise.all(
      engines.flatMap(({ token, farms }) => farms.map((farm) => discoverFarm(reader, farm, [token, lent]))),
    )
    return found.flat()
  },

  keyLogs: ({ engines }) =>
    engines.map(({ address: contract }) => ({ contract, topic: OPENED, walletAt: 1, keyAt: 'data' })),

  subAccounts: (_, __, keys) => [...new Set(keys.map(({ key }) => evmAddress(pad(toHex(key), { size: 20 }))))],

  async positions({ reader, deployment: { engines, lent }, wallet, keys, protocolContracts, leftOut }) {
    const used = engines.filter(({ address }) => isNamedIn(keys, address))
    const scope = { reader, wallet, lent, protocolContracts, leftOut }
    const found = await Promise.all(used.map((engine) => readEngine(scope, engine)))
    return found.flat()
  },

  history: lockstakeHistory,
}

const isNamedIn = (keys: readonly PositionId[], engine: EvmAddress) => keys.some(({ contract }) => contract === engine)

async function discoverFarm(reader: EvmReader, address: EvmAddress, shown: readonly EvmAddress[]) {
  if (!(await isDeployed(reader, address))) return []
  const reward = evmAddress(await reader.read({ address, abi: farmAbi, functionName: 'rewardsToken' }))
  const farm: ProtocolContract = {
    address,
    role: 'farm',
    fungible: false,
    underlyings: [...new Set([...shown, reward])],
    data: { reward },
  }
  return [farm]
}

type Scope = {
  reader: EvmReader
  wallet: EvmAddress
  lent: EvmAddress
  protocolContracts: readonly ProtocolContract[]
  leftOut: LeftOut
}

async function readEngine({ reader, wallet, lent, protocolContracts, leftOut }: Scope, engine: Engine) {
  const farms = protocolContracts.filter(({ address }) => engine.farms.includes(address))
  const args = [engine.address, farms.map(({ address }) => address), wallet] as const
  const [found, refused] = await reader.lens(lockstakeLens, { functionName: 'urns', args })
  for (const index of refused) leftOut(new Error(`position ${index} of ${engine.address} could not be read`))
  return found.map(
    ({ index, locked, owed, health, isDelegated, isInAuction, rewards }): PositionDraft => ({
      kind: owed > 0n ? 'lending' : 'staked',
      label: ['Stake', ...(isDelegated ? ['delegated'] : []), ...(isInAuction ? ['in liquidation'] : [])].join(', '),
      pool: engine.address,
      tokenId: index,
      supplied: [{ token: engine.token, amountRaw: locked }],
      borrowed: [{ token: lent, amountRaw: owed }],
      rewards: farms.map((farm, i) => ({ token: rewardOf(farm), amountRaw: rewards[i] ?? 0n })),
      ...(owed > 0n && health !== maxUint256 && { healthFactorRaw: health }),
    }),
  )
}

function rewardOf({ address, data }: ProtocolContract): EvmAddress {
  if (!data?.['reward']) throw new Error(`farm ${address} is stored without its reward`)
  return evmAddress(data['reward'])
}
