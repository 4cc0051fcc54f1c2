import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf } from '../../decode/log-words.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import { type DeploymentRow, type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { gaugedHistory, gaugedPools } from '../shared/gauges.ts'
import { discoverEscrow, isLock } from '../shared/vote-escrow.ts'
import chains from './chains.json' with { type: 'json' }
import { type Deployment, deployment, isMade, shareAt, worthOf } from './pools.ts'

const VAULT = '0xba12222222228d8ba445958a75a0704d566bf2c8'
const VAULT_3 = '0xba1333333333a1ba1108e8412f11850a5c319ba9'

/** BAL, USDC, and three earlier shares of bb-a-USD. */
const FEE_TOKENS = [
  '0xba100000625a3754423978a60c9317c58a424e3d',
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '0x7b50775383d3d6f0215a8f290f2c9e2eebbeceb2',
  '0xa13a9247ea42d743238089903570127dda72fe44',
  '0xfebb0bbf162e64fb9d0dfe186e517d84c395f016',
]
const FEES = '0xd3cf852898b21fc233251427c2dc93d3d604f3bb'

/** veBAL: a locked share of 80 % BAL and 20 % WETH. */
const escrow = {
  escrow: '0xc128a9954e6c874ea3d62ce62b468ba073093f25',
  token: '0x5c6ee304399dbdb9c8ef030ab642b10820db8f56',
  distributors: FEE_TOKENS.map((token) => ({ address: FEES, token, byToken: true })),
}

/**
 * Sources: `addresses` of `balancer/balancer-deployments` (vaults, factories, gauges), its task of tokens (BAL);
 * `balancer/backend` and `balancer/balancer-sdk` (fee tokens); DefiLlama's list of Balancer's forks.
 */
const balancerRows: readonly DeploymentRow[] = [
  ...rowsByChain(
    { key: 'balancer', name: 'Balancer', siteUrl: 'https://balancer.fi' },
    { ...chains, ethereum: { ...chains.ethereum, escrow } },
  ),
  ...rowsByChain(
    { key: 'beets', name: 'Beets', siteUrl: 'https://beets.fi' },
    { sonic: { vault: VAULT, vault3: VAULT_3 } },
  ),
  ...rowsByChain(
    { key: 'beraswap', name: 'BEX', siteUrl: 'https://hub.berachain.com' },
    { berachain: { vault: '0x4be03f781c497a489e3cb0287833452ca9b9e80b' } },
  ),
]

/** Shares count as a proportional exit. Pools and gauges from logs count if a vault or a gauge factory knows them. */
export const balancer: ProtocolAdapter<Deployment> = {
  name: 'balancer',
  deployment,
  rows: balancerRows,
  ...gaugedPools<Deployment>(shareAt, worthOf),

  discover: async ({ reader, deployment: { escrow } }) => (escrow ? discoverEscrow(reader, escrow) : []),

  /** Pools of known factories may lie inside gauges. */
  vouches: (_, protocolContract) => isLock(protocolContract) || isMade(protocolContract),

  history: balancerHistory,
}

/** Pool, token in, token out, amounts. */
const SWAP = topicOf('Swap(bytes32,address,address,uint256,uint256)')
const ADDRESS_CHARS = 42

/** The vaults trade shares that pools minted for themselves. */
function balancerHistory(deployment: Deployment): ProtocolHistory {
  const { vault, vault3 } = deployment
  return {
    ...gaugedHistory(deployment),
    contracts: [vault, vault3].flatMap((one) => one ?? []),
    makes: (log) => (log.address === vault ? ownShareIn(log) : undefined),
  }
}

/** A pool ID begins with the address of the pool. */
function ownShareIn(log: ReceiptLog): EvmAddress | undefined {
  const [topic, id] = log.topics
  if (topic !== SWAP || id === undefined) return undefined
  const pool = evmAddress(id.slice(0, ADDRESS_CHARS))
  return addressTopic(log, 2) === pool || addressTopic(log, 3) === pool ? pool : undefined
}
