import { encodePacked, keccak256, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { type PositionScope, type ProtocolAdapter, type ProtocolContract, rowsByChain } from '../adapter.ts'
import { addressSchema, answerOf, isDeployed } from '../deployment.ts'
import chains from './chains.json' with { type: 'json' }
import { rocketPoolHistory } from './history.ts'
import { rocketPoolLens } from './rocket-pool-lens.bytecode.ts'

const deployment = z.strictObject({
  /** RocketStorage: names all other contracts, and stays when they are replaced. */
  store: addressSchema,
  rpl: addressSchema,
})

export type Deployment = z.infer<typeof deployment>

const storeAbi = parseAbi([
  'function getBool(bytes32 key) view returns (bool)',
  'function getAddress(bytes32 key) view returns (address)',
])

const LOGGING = ['rocketNodeStaking', 'rocketNodeDeposit', 'rocketNodeManager', 'rocketMerkleDistributorMainnet']
/** Flags in the storage. A closed minipool has the second. */
const OF_NODES = [
  ['minipool', 'minipool.exists'],
  ['minipool', 'minipool.destroyed'],
  ['megapool', 'megapool.exists'],
] as const
/** A minipool costs some 60,000 gas. All calls leave before their number is known. */
const PAGE = 32
const PAGES = 8

/** Node operators: staked and unstaking RPL, bonds of megapool and minipools, claimable ETH. */
export const rocketPool: ProtocolAdapter<Deployment> = {
  name: 'rocket_pool',
  deployment,
  /** Source: rocket-pool/rocketpool (git fef41a4f, 17 April 2026); RPL from Ethereum's token lists. */
  rows: rowsByChain({ key: 'rocketpool_nodes', name: 'Rocket Pool nodes', siteUrl: 'https://rocketpool.net' }, chains),
  lenses: [rocketPoolLens],
  probedOnly: true,
  countsWhereSent: true,

  async discover({ reader, deployment: { store, rpl } }) {
    if (!(await isDeployed(reader, store))) return []
    const addresses = await Promise.all(
      LOGGING.map((name) => {
        const args = [keccak256(encodePacked(['string', 'string'], ['contract.address', name]))] as const
        return reader.read({ address: store, abi: storeAbi, functionName: 'getAddress', args })
      }),
    )
    const loggers = [...new Set(addresses.map(evmAddress))].filter((address) => address !== store && address !== NATIVE)
    return [
      { address: store, role: 'store', fungible: false, underlyings: [NATIVE, rpl] },
      ...loggers.map((address): ProtocolContract => ({ address, role: 'logger', fungible: false, underlyings: [] })),
    ]
  },

  /** Only the protocol sets these flags. */
  async recognise({ reader, deployment: { store }, tokens }) {
    const found = await Promise.all(
      tokens.map(async (address) => ({ address, role: await roleOf(reader, store, address) })),
    )
    return found.flatMap(({ address, role }) => (role ? [{ address, role, fungible: false, underlyings: [] }] : []))
  },

  vouches: (_, { role }) => !OF_NODES.some(([name]) => name === role),

  async probe({ reader, wallet, protocolContract: { address, role } }) {
    if (role !== 'store') return false
    const args = [flagOf('node.exists', wallet)] as const
    const exists = reader.tryRead({ address, abi: storeAbi, functionName: 'getBool', args })
    return (await answerOf(reader, address, exists)) ?? false
  },

  async positions(scope) {
    const { reader, wallet, held, leftOut } = scope
    const { store, rpl } = scope.deployment
    if (held.length === 0) return []
    const [node, minipools, { timestamp }] = await Promise.all([
      reader.lens(rocketPoolLens, { functionName: 'node', args: [store, wallet] }),
      readMinipools(scope),
      reader.header(),
    ])
    const read = BigInt(PAGE * PAGES)
    if (node.minipools > read) leftOut(new Error(`the node has ${node.minipools} minipools, more than are read`))
    const waits = node.unstakesAt > BigInt(timestamp)
    const ofRpl = (label: string, amountRaw: bigint): PositionDraft => ({
      kind: 'staked',
      label,
      pool: store,
      supplied: [{ token: rpl, amountRaw }],
    })
    return [
      ofRpl('RPL, minipools', node.legacyStake),
      ofRpl('RPL, megapool', node.megapoolStake),
      {
        ...ofRpl(`RPL, unstaking, ${waits ? 'pending' : 'ready'}`, node.unstaking),
        kind: 'locked',
        ...(waits && { unlockAt: Number(node.unstakesAt) }),
      },
      ofCoin('staked', 'Megapool', {
        pool: evmAddress(node.megapool),
        supplied: node.bond,
        rewards: node.claimable,
        borrowed: node.debt,
      }),
      ...minipools.map(({ minipool, bond, claimable }) =>
        ofCoin('staked', 'Minipool', { pool: evmAddress(minipool), supplied: bond, rewards: claimable }),
      ),
      ofCoin('deposit', 'Balance', { pool: store, supplied: node.balance }),
      ofCoin('deposit', 'Credit', { pool: store, supplied: node.credit }),
      ofCoin('rewards', 'Rewards', { pool: store, rewards: node.unclaimed }),
    ]
  },

  history: rocketPoolHistory,
}

const flagOf = (flag: string, address: EvmAddress) => keccak256(encodePacked(['string', 'address'], [flag, address]))

async function roleOf(reader: EvmReader, store: EvmAddress, address: EvmAddress): Promise<string | undefined> {
  const at = { address: store, abi: storeAbi, functionName: 'getBool' } as const
  const flags = await Promise.all(OF_NODES.map(([, flag]) => reader.tryRead({ ...at, args: [flagOf(flag, address)] })))
  return OF_NODES.find((_, i) => flags[i])?.[0]
}

async function readMinipools({ reader, deployment: { store }, wallet, leftOut }: PositionScope<Deployment>) {
  const answers = await Promise.all(
    Array.from({ length: PAGES }, (_, i) => {
      const args = [store, wallet, BigInt(i * PAGE), BigInt((i + 1) * PAGE)] as const
      return reader.lens(rocketPoolLens, { functionName: 'minipools', args })
    }),
  )
  for (const minipool of answers.flatMap(([, refused]) => refused)) {
    leftOut(new Error(`minipool ${minipool} could not be read`))
  }
  return answers.flatMap(([found]) => found)
}

function ofCoin(
  kind: PositionDraft['kind'],
  label: string,
  { pool, supplied, rewards, borrowed }: { pool: EvmAddress; supplied?: bigint; rewards?: bigint; borrowed?: bigint },
): PositionDraft {
  const amounts = (amountRaw = 0n) => [{ token: NATIVE, amountRaw }]
  return { kind, label, pool, supplied: amounts(supplied), borrowed: amounts(borrowed), rewards: amounts(rewards) }
}
