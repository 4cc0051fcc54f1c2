import type { HttpProofSource } from '../../airdrops.ts'

const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const DBR = 'DBRiDgJAMsM95moTzJs7M9LnkGErpbv9v6CUR1DXnUu5'
const LFG = 'DiSLRwcSFvtwvMWSs7ubBMvYRaYNYupa76ZSuYLe6D7j'
const JUPUARY = 'DiS3nNjFVMieMgmiQFm6wgJL7nevk4NrhXKLbtEH1Z2R'

/** `api/src/router.rs` of jup-ag/distributor: `{ merkle_tree, amount, locked_amount, proof }`, `mint` in lists. */
const jupiterClaim = {
  kind: 'http-proof',
  protocol: { key: 'jupiter', name: 'Jupiter' },
  fields: {
    distributor: ['merkle_tree'],
    unlocked: ['amount'],
    locked: ['locked_amount'],
    proof: ['proof'],
    mint: ['mint'],
  },
  none: { text: true },
} as const satisfies Partial<HttpProofSource>

const jup = { mint: JUP, token: { symbol: 'JUP', name: 'Jupiter' } }

const lfg = (mint: string) => ({
  ...jupiterClaim,
  program: LFG,
  mint,
  url: `https://worker.jup.ag/jup-claim-proof/${mint}/{owner}`,
})

const stakingRewards = (timeline: string, mint: string) => ({
  ...jupiterClaim,
  mint,
  url: `https://worker.jup.ag/asr-claim-proof/{owner}?asrTimeline=${timeline}&mints=${mint}`,
  list: ['claim'],
  link: 'https://vote.jup.ag/asr',
})

/** With announced windows. The operator must enable a source, because it learns which wallets are read. */
export const publishedSources: readonly HttpProofSource[] = [
  {
    ...jupiterClaim,
    ...jup,
    key: 'jupiter_s1',
    title: 'JUP season 1',
    program: 'meRjbQXFNf5En86FXT2YPz1dQzLj4Yb3xK8u1MVgqpb',
    url: `https://worker.jup.ag/jup-claim-proof/${JUP}/{owner}`,
    window: { from: 1_706_659_200, until: 1_722_430_800 },
    link: 'https://lfg.jup.ag/jup',
  },
  {
    ...lfg('ZEUS1aR7aX8DFFJf5QjWj2ftDDdNTroMNGo8YoQm3Gq'),
    key: 'jupiter_lfg_zeus',
    title: 'Zeus LFG',
    token: { symbol: 'ZEUS', name: 'Zeus Network' },
    window: { from: 1_712_235_600, until: 1_713_445_200 },
    link: 'https://lfg.jup.ag/zeus',
  },
  {
    ...lfg('TNSRxcUxoT9xBG3de7PiJyTDYu7kskLqcpddxnEJAS6'),
    key: 'jupiter_lfg_tnsr',
    title: 'Tensor LFG',
    token: { symbol: 'TNSR', name: 'Tensor' },
    window: { from: 1_712_534_400, until: 1_728_086_400 },
    link: 'https://claim.jup.ag/tnsr',
  },
  {
    ...lfg('SHARKSYJjqaNyxVfrpnBN9pjgkhwDhatnMyicWPnr1s'),
    key: 'jupiter_lfg_sharky',
    title: 'Sharky LFG',
    token: { symbol: 'SHARK', name: 'Sharky' },
    window: { from: 1_713_225_600, until: 1_714_435_200 },
    link: 'https://lfg.jup.ag/sharky',
  },
  {
    ...lfg('UPTx1d24aBWuRgwxVnFmX4gNraj3QGFzL3QqBgxtWQG'),
    key: 'jupiter_lfg_upt',
    title: 'UpRock LFG',
    token: { symbol: 'UPT', name: 'UpRock' },
    window: { from: 1_717_077_600, until: 1_719_878_400 },
    link: 'https://lfg.jup.ag/uprock',
  },
  {
    ...jupiterClaim,
    ...jup,
    key: 'jupiter_jupuary_2025',
    title: 'Jupuary 2025',
    program: JUPUARY,
    url: 'https://jupuary-api.jup.ag/claim-proof-2025/{owner}',
    window: { from: 1_737_547_200, until: 1_745_323_200 },
    link: 'https://jupuary.jup.ag/',
  },
  {
    ...stakingRewards('jan-2025', DBR),
    key: 'jupiter_asr_3',
    title: 'ASR #3',
    program: LFG,
    token: { symbol: 'DBR', name: 'deBridge' },
    window: { from: 1_739_466_000, until: 1_743_465_600 },
  },
  {
    ...stakingRewards('apr-2025', JUP),
    token: jup.token,
    key: 'jupiter_asr_4',
    title: 'ASR #4',
    program: JUPUARY,
    window: { from: 1_744_213_500, until: 1_751_328_000 },
  },
  {
    ...stakingRewards('july-2025', JUP),
    token: jup.token,
    key: 'jupiter_asr_5',
    title: 'ASR #5',
    program: JUPUARY,
    window: { from: 1_751_480_355, until: 1_759_320_000 },
  },
  {
    // Kamino-Finance/distributor, api/src/router.rs. Its trees lock nothing.
    kind: 'http-proof',
    key: 'kamino_s3',
    protocol: { key: 'kamino', name: 'Kamino' },
    title: 'KMNO season 3',
    program: 'KdisqEcXbXKaTrBFqeDLhMmBvymLTwj9GmhDcdJyGat',
    mint: 'KMNo3nJsBXfcpJTVhZcXLW7RmTwTt4GVFE7suUBo9sS',
    token: { symbol: 'KMNO', name: 'Kamino' },
    url: 'https://api.kamino.finance/distributor/user/{owner}',
    fields: { distributor: ['merkle_tree'], unlocked: ['amount'], proof: ['proof'] },
    window: { from: 1_748_520_000 },
    link: 'https://app.kamino.finance/season-3-airdrop',
  },
  {
    // drift-labs/distributor, api/src/router.rs.
    kind: 'http-proof',
    key: 'drift_s3',
    protocol: { key: 'drift', name: 'Drift' },
    title: 'DRIFT season 3',
    program: 'E7HtfkEMhmn9uwL7EFNydcXBWy5WCYN1vFmKKjipEH1x',
    mint: 'DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7',
    token: { symbol: 'DRIFT', name: 'Drift' },
    url: 'https://airdrop-3.drift.trade/eligibility/{owner}',
    fields: {
      distributor: ['merkle_tree'],
      unlocked: ['end_amount'],
      locked: ['locked_amount'],
      proof: ['proof'],
      mint: ['mint'],
    },
    none: { field: ['error'] },
    window: { from: 1_751_304_600, until: 1_763_121_600 },
    link: 'https://drift.foundation/fuel-claim',
  },
  {
    // jito-foundation/distributor, api/src/router.rs: the reference server.
    kind: 'http-proof',
    key: 'jito',
    protocol: { key: 'jito', name: 'Jito' },
    title: 'JTO airdrop',
    program: 'mERKcfxMC5SqJn4Ld4BUris3WKZZ1ojjWJ3A3J5CKxv',
    distributor: 'HS8EQ8QkQSBJggY8r255AKdWbtYRtyNMoRt4LjNkkWm1',
    mint: 'jtojtomepa8beP8AuQc6eXt5FriJwfFMwQx2v2f9mCL',
    token: { symbol: 'JTO', name: 'Jito' },
    url: 'https://airdrop.jito.network/proof/{owner}',
    fields: { unlocked: ['amount_unlocked'], locked: ['amount_locked'], proof: ['proof'] },
    window: { from: 1_701_964_800, until: 1_749_312_000 },
    link: 'https://jito.network/airdrop',
  },
  {
    // The list names a wallet's airdrops; the public API proves them.
    kind: 'http-proof',
    key: 'streamflow',
    protocol: { key: 'streamflow', name: 'Streamflow' },
    title: 'Streamflow airdrop',
    program: 'MErKy6nZVoVAkryxAejJz2juifQ4ArgLgHmaJCQkU7N',
    directory: {
      url: 'https://api.streamflow.finance/v2/api/airdrops/claimable/{owner}/?limit=100&skimZeroValued=false&chain=SOLANA',
      list: ['items'],
      distributor: ['distributorAddress'],
      limit: 100,
    },
    url: 'https://api-public.streamflow.finance/v2/api/airdrops/{distributor}/claimants/{owner}',
    fields: {
      distributor: ['distributorAddress'],
      unlocked: ['amountUnlocked'],
      locked: ['amountLocked'],
      proof: ['proof'],
    },
    link: 'https://app.streamflow.finance/airdrops/solana/mainnet/{distributor}',
  },
]
