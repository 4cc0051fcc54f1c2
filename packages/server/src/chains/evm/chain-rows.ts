import monerium from './monerium.json' with { type: 'json' }

type SecondFaces = Readonly<Record<`0x${string}`, `0x${string}`>>

/** Addresses are lower case. */
type Row = {
  key: string
  aliases?: readonly string[]
  /** Priced as the coin itself; null unless two sources confirm it. */
  wrappedNative: `0x${string}` | null
  color?: `#${string}`
  altExplorer?: string
  nativeErc20s?: readonly `0x${string}`[]
  /** Mirror → token. */
  secondFaces?: SecondFaces
  rpcUrls?: readonly string[]
  blockSource?: 'arbsys'
  finality?: number
  blockSeconds?: number
  /** Besides gas. Receipts decide the fees, not this. */
  fees?: readonly FeeKind[]
  /** First block whose gas excludes the data fee, which earlier receipts state too. */
  dataFeeSince?: bigint
} & Partial<Names>

/** EIP-4844; data on the parent layer; the operator of an OP Stack chain; in a token (CIP-64). */
export type FeeKind = 'blobs' | 'data' | 'operator' | 'token'

/** External names, by default the key. Null: not listed there. */
type Names = {
  viem: string
  defillama: string | null
  coingecko: string | null
  icon: string | null
}

export type ChainRow = Row & Names

/** A rollup replaces blocks when its parent does: twenty minutes at block times of 2, 1 and 0.25 seconds. */
const ROLLUP = { every2s: 600, every1s: 1_200, everyQuarter: 4_800 } as const
/** Most chains of the stack have its predeployed wrapped coin. The operator may charge since the chain's Isthmus. */
const OP_STACK = {
  wrappedNative: '0x4200000000000000000000000000000000000006',
  fees: ['data', 'operator'],
  finality: ROLLUP.every2s,
} satisfies Partial<Row>
/** Blocks are final when accepted. */
const AT_ONCE = 1
/** Blocks are made for transactions only: minutes may pass. */
const ON_DEMAND = 60

/** Monerium's first contracts, which forward to the second ones (EURe, GBPe, USDe, ISKe). Source: rotki. */
const MONERIUM = monerium as unknown as Readonly<Record<'ethereum' | 'gnosis' | 'polygon', SecondFaces>>

/** After adding a row, run `npm run generate --workspace @coffer/server`. */
const rows: readonly Row[] = [
  {
    key: 'abstract',
    wrappedNative: '0x3439153eb7af838ad19d56e1571fbd09333c2809',
    coingecko: null,
    finality: ROLLUP.every1s,
  },
  {
    key: 'arbitrum',
    aliases: ['arb'],
    wrappedNative: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
    coingecko: 'arbitrum-one',
    icon: 'arbitrum-one',
    altExplorer: 'https://arbitrum.blockscout.com',
    blockSource: 'arbsys',
    finality: ROLLUP.everyQuarter,
    rpcUrls: ['https://arbitrum-one-rpc.publicnode.com'],
  },
  {
    key: 'arbitrum_nova',
    viem: 'arbitrumNova',
    wrappedNative: '0x722e8bdd2ce80a4422e880164f2079488e115365',
    coingecko: 'arbitrum-nova',
    icon: 'arbitrum-nova',
    altExplorer: 'https://arbitrum-nova.blockscout.com',
    blockSource: 'arbsys',
    finality: ROLLUP.everyQuarter,
    blockSeconds: ON_DEMAND,
  },
  { key: 'aurora', wrappedNative: '0xc9bdeed33cd01541e1eed10f90519d2c06fe3feb', finality: AT_ONCE },
  {
    key: 'avalanche',
    aliases: ['avax'],
    wrappedNative: '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7',
    defillama: 'avax',
    finality: AT_ONCE,
    rpcUrls: ['https://avalanche-c-chain-rpc.publicnode.com'],
  },
  {
    key: 'base',
    ...OP_STACK,
    altExplorer: 'https://base.blockscout.com',
    rpcUrls: ['https://base-rpc.publicnode.com'],
  },
  { key: 'berachain', wrappedNative: '0x6969696969696969696969696969696969696969', fees: ['blobs'] },
  {
    key: 'binance',
    aliases: ['bnb', 'bsc'],
    viem: 'bsc',
    wrappedNative: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
    fees: ['blobs'],
    defillama: 'bsc',
    coingecko: 'binance-smart-chain',
    icon: 'binance-smart-chain',
    rpcUrls: ['https://bsc-rpc.publicnode.com'],
  },
  { key: 'blast', ...OP_STACK, wrappedNative: '0x4300000000000000000000000000000000000004' },
  { key: 'bob', ...OP_STACK, coingecko: null },
  {
    key: 'boba',
    ...OP_STACK,
    wrappedNative: null,
    blockSeconds: ON_DEMAND,
    nativeErc20s: ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'],
  },
  {
    key: 'celo',
    wrappedNative: null,
    fees: ['data', 'operator', 'token'],
    altExplorer: 'https://celo.blockscout.com',
    nativeErc20s: ['0x471ece3750da237f93b8e339c536989b8978a438'],
    finality: ROLLUP.every1s,
  },
  { key: 'core', viem: 'coreDao', wrappedNative: null, icon: null },
  { key: 'cronos', wrappedNative: '0x5c7f8a570d578ed84e63fdfa7b1ee72deae1ae23' },
  {
    key: 'ethereum',
    aliases: ['eth'],
    viem: 'mainnet',
    wrappedNative: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    fees: ['blobs'],
    color: '#627eea',
    altExplorer: 'https://eth.blockscout.com',
    // The last justified checkpoint but one: 64 to 95 blocks.
    finality: 96,
    blockSeconds: 12,
    secondFaces: MONERIUM.ethereum,
    rpcUrls: ['https://ethereum-rpc.publicnode.com'],
  },
  {
    key: 'fantom',
    aliases: ['ftm'],
    wrappedNative: '0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83',
    finality: AT_ONCE,
    rpcUrls: ['https://fantom-rpc.publicnode.com'],
  },
  { key: 'fraxtal', ...OP_STACK, wrappedNative: '0xfc00000000000000000000000000000000000002', coingecko: null },
  { key: 'fuse', wrappedNative: '0x0be9e53fd7edac9f859882afdda116645287c629' },
  {
    key: 'gnosis',
    aliases: ['xdai'],
    wrappedNative: '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d',
    fees: ['blobs'],
    defillama: 'xdai',
    coingecko: 'xdai',
    altExplorer: 'https://gnosis.blockscout.com',
    secondFaces: MONERIUM.gnosis,
    rpcUrls: ['https://gnosis-rpc.publicnode.com'],
  },
  {
    key: 'hyperevm',
    viem: 'hyperEvm',
    wrappedNative: '0x5555555555555555555555555555555555555555',
    defillama: 'hyperliquid',
    icon: 'hyper-evm',
  },
  { key: 'ink', ...OP_STACK, coingecko: null },
  { key: 'katana', ...OP_STACK, wrappedNative: null, coingecko: null },
  { key: 'kava', wrappedNative: '0xc86c7c0efbd6a49b35e8714c5f59d99de09a225b' },
  {
    key: 'linea',
    wrappedNative: '0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f',
    altExplorer: 'https://explorer.linea.build',
    finality: ROLLUP.every2s,
    rpcUrls: ['https://linea-rpc.publicnode.com'],
  },
  {
    key: 'manta',
    ...OP_STACK,
    wrappedNative: '0x0dc808adce2099a9f62aa87d9670745aba741746',
    coingecko: 'manta-pacific',
    icon: 'manta-pacific',
  },
  {
    key: 'mantle',
    ...OP_STACK,
    wrappedNative: '0x78c1b0c915c4faa5fffa6cabf0219da63d7f4cb8',
    nativeErc20s: ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'],
  },
  {
    key: 'megaeth',
    wrappedNative: '0x4200000000000000000000000000000000000006',
    fees: OP_STACK.fees,
    coingecko: null,
    icon: 'mega-eth',
    altExplorer: 'https://megaeth.blockscout.com',
  },
  {
    key: 'metis',
    wrappedNative: null,
    fees: ['data'],
    // Shanghai. Source: `state-dump.latest.json` of MetisProtocol/metis-networks.
    dataFeeSince: 18_118_000n,
    coingecko: 'metis-andromeda',
    icon: 'metis-andromeda',
    nativeErc20s: ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'],
    finality: ROLLUP.every2s,
    blockSeconds: ON_DEMAND,
  },
  { key: 'mode', ...OP_STACK },
  { key: 'monad', wrappedNative: '0x3bd359c1119da7da1d913d1c4d2b7c461115433a', coingecko: null },
  {
    key: 'moonbeam',
    wrappedNative: '0xacc15dc74880c9944775448304b263d191c6077f',
    blockSeconds: 12,
    nativeErc20s: ['0x0000000000000000000000000000000000000802'],
  },
  {
    key: 'moonriver',
    wrappedNative: '0x98878b06940ae243284ca214f92bb71a2b032b8a',
    blockSeconds: 12,
    nativeErc20s: ['0x0000000000000000000000000000000000000802'],
  },
  {
    key: 'opbnb',
    ...OP_STACK,
    viem: 'opBNB',
    defillama: 'op_bnb',
    icon: null,
    finality: ROLLUP.every1s,
  },
  {
    key: 'optimism',
    ...OP_STACK,
    aliases: ['op'],
    coingecko: 'optimistic-ethereum',
    altExplorer: 'https://optimism.blockscout.com',
    nativeErc20s: ['0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000'],
    rpcUrls: ['https://optimism-rpc.publicnode.com'],
  },
  { key: 'plasma', wrappedNative: '0x6100e367285b01f48d07953803a2d8dca5d19873' },
  {
    key: 'plume',
    viem: 'plumeMainnet',
    wrappedNative: null,
    defillama: 'plume_mainnet',
    coingecko: null,
    finality: ROLLUP.everyQuarter,
  },
  {
    key: 'polygon',
    aliases: ['matic'],
    wrappedNative: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
    coingecko: 'polygon-pos',
    altExplorer: 'https://polygon.blockscout.com',
    nativeErc20s: ['0x0000000000000000000000000000000000001010'],
    // Reorganisations of up to 157 blocks were seen before milestones.
    finality: 256,
    secondFaces: MONERIUM.polygon,
    rpcUrls: ['https://polygon-bor-rpc.publicnode.com'],
  },
  {
    key: 'polygon_zkevm',
    viem: 'polygonZkEvm',
    wrappedNative: '0x4f9a0e7fd2bf6067db6994cf12e4495df938e6e9',
    coingecko: 'polygon-zkevm',
    icon: 'polygon-zkevm',
    finality: ROLLUP.every2s,
    blockSeconds: ON_DEMAND,
  },
  {
    key: 'rootstock',
    wrappedNative: '0x542fda317318ebf1d3deaf76e0b632741a7e677d',
    defillama: 'rsk',
    altExplorer: 'https://rootstock.blockscout.com',
    blockSeconds: 30,
  },
  {
    key: 'scroll',
    wrappedNative: '0x5300000000000000000000000000000000000004',
    fees: ['data'],
    altExplorer: 'https://scroll.blockscout.com',
    finality: ROLLUP.every2s,
  },
  {
    key: 'sei',
    wrappedNative: '0xe30fedd158a2e3b13e9badaeabafc5516e95e8c7',
    coingecko: null,
    icon: 'sei-network',
    finality: AT_ONCE,
  },
  { key: 'soneium', ...OP_STACK, coingecko: null },
  { key: 'sonic', wrappedNative: '0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38', finality: AT_ONCE },
  { key: 'swellchain', ...OP_STACK, coingecko: null, icon: 'swell' },
  {
    key: 'taiko',
    wrappedNative: '0xa51894664a773981c6c112c43ce576f315d5b1b6',
    finality: ROLLUP.every2s,
    blockSeconds: ON_DEMAND,
  },
  { key: 'telos', wrappedNative: null, icon: 'telos' },
  {
    key: 'unichain',
    ...OP_STACK,
    altExplorer: 'https://unichain.blockscout.com',
    finality: ROLLUP.every1s,
  },
  {
    key: 'worldchain',
    ...OP_STACK,
    defillama: 'wc',
    coingecko: null,
    icon: 'world',
    altExplorer: 'https://worldchain-mainnet.explorer.alchemy.com',
  },
  {
    key: 'zksync',
    aliases: ['era'],
    viem: 'zkSync',
    wrappedNative: '0x5aea5775959fbc2557cc8789bc1bf90a239d9a91',
    defillama: 'era',
    altExplorer: 'https://zksync.blockscout.com',
    nativeErc20s: ['0x000000000000000000000000000000000000800a'],
    finality: ROLLUP.every1s,
  },
  { key: 'zora', ...OP_STACK, coingecko: null },
]

export const chainRows = rows.map((row): ChainRow => {
  const { key } = row
  return { viem: key, defillama: key, coingecko: key, icon: key, ...row }
})
