import type { FamilyRow } from '../family.ts'

type Deployment = { chef: string; reward: string; layout: 'v1' | 'v2' | 'pancake_v2'; payer?: string }

/** Each generation is a protocol of its own. */
const sushi = (chain: string, deployment: Deployment): FamilyRow => ({
  ...(deployment.layout === 'v1'
    ? { key: 'sushiswap_farms', name: 'SushiSwap Farms' }
    : { key: 'sushiswap_farms_v2', name: 'SushiSwap Farms V2' }),
  ...{ chain, siteUrl: 'https://www.sushi.com' },
  deployment: { pending: 'pendingSushi', ...deployment },
})

const pancake = (deployment: Omit<Deployment, 'reward'>): FamilyRow => ({
  ...(deployment.layout === 'v1'
    ? { key: 'pancakeswap_farms', name: 'PancakeSwap Farms' }
    : { key: 'pancakeswap_farms_v2', name: 'PancakeSwap Farms V2' }),
  ...{ chain: 'binance', siteUrl: 'https://pancakeswap.finance' },
  deployment: { reward: '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82', pending: 'pendingCake', ...deployment },
})

const SUSHI = '0x6b3595068778dd592e39a122f4f5a5cf09c90fe2'

/** Sources: the chefs and tokens that SushiSwap's and PancakeSwap's interfaces name, each also by adapters of others. */
export const masterChefRows: readonly FamilyRow[] = [
  sushi('ethereum', { chef: '0xc2edad668740f1aa35e4d8f227fb8e17dca888cd', reward: SUSHI, layout: 'v1' }),
  sushi('ethereum', { chef: '0xef0881ec094552b2e128cf945ef17a6752b4ec5d', reward: SUSHI, layout: 'v2' }),
  sushi('arbitrum', {
    chef: '0xf4d73326c13a4fc5fd7a064217e12780e9bd62c3',
    reward: '0xd4d42f0b6def4ce0383636770ef773390d85c61a',
    layout: 'v2',
  }),
  sushi('gnosis', {
    chef: '0xddcbf776df3de60163066a5dddf2277cb445e0f3',
    reward: '0x2995d1317dcd4f0ab89f4ae60f3f020a4f17c7ce',
    layout: 'v2',
  }),
  sushi('polygon', {
    chef: '0x0769fd68dfb93167989c6f7254cd0d766fb2841f',
    reward: '0x0b3f868e0be5597d5db7feb59e1cadbb0fdda50a',
    layout: 'v2',
  }),
  pancake({
    chef: '0x73feaa1ee314f8c655e354234017be2193c9e24e',
    // It mints for its SyrupBar, which pays.
    payer: '0x009cf7bc57584b7998236eff51b98a168dcea9b0',
    layout: 'v1',
  }),
  pancake({ chef: '0xa5f8c5dbd5f286960b9d90548680ae5ebff07652', layout: 'pancake_v2' }),
]
