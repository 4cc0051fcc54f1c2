import type { DeploymentRow } from '../adapter.ts'

type Layout = 'v1' | 'v2' | 'pancake_v2' | 'joe' | 'joe_boosted'
type Deployment = { chef: string; reward: string; layout: Layout; payer?: string }

const sushi = (chain: string, deployment: Deployment): DeploymentRow => ({
  ...(deployment.layout === 'v1'
    ? { key: 'sushiswap_farms', name: 'SushiSwap Farms' }
    : { key: 'sushiswap_farms_v2', name: 'SushiSwap Farms V2' }),
  chain,
  siteUrl: 'https://www.sushi.com',
  deployment: { pending: 'pendingSushi', ...deployment },
})

const pancake = (deployment: Omit<Deployment, 'reward'>): DeploymentRow => ({
  ...(deployment.layout === 'v1'
    ? { key: 'pancakeswap_farms', name: 'PancakeSwap Farms' }
    : { key: 'pancakeswap_farms_v2', name: 'PancakeSwap Farms V2' }),
  chain: 'binance',
  siteUrl: 'https://pancakeswap.finance',
  deployment: { reward: '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82', pending: 'pendingCake', ...deployment },
})

const joe = (generation: string, chef: string, layout: Layout): DeploymentRow => ({
  key: `trader_joe_farms_${generation.toLowerCase()}`,
  name: `Trader Joe Farms ${generation}`,
  chain: 'avalanche',
  siteUrl: 'https://lfj.gg',
  deployment: { chef, reward: '0x6e84a6216ea6dacc71ee8e6b0a5b7322eebc0fdd', pending: 'pendingTokens', layout },
})

const spooky = (chef: string, layout: 'v1' | 'v2'): DeploymentRow => ({
  ...(layout === 'v1'
    ? { key: 'spookyswap_farms', name: 'SpookySwap Farms' }
    : { key: 'spookyswap_farms_v2', name: 'SpookySwap Farms V2' }),
  chain: 'fantom',
  siteUrl: 'https://spooky.fi',
  deployment: { chef, reward: '0x841fad6eae12c286d1fd18d1d525dffa75c7effe', pending: 'pendingBOO', layout },
})

const SUSHI = '0x6b3595068778dd592e39a122f4f5a5cf09c90fe2'

/**
 * Sources: SushiSwap's and PancakeSwap's interfaces, third-party adapters; @traderjoe-xyz/core 2.4.6; SpookySwap's
 * scripts.
 */
export const masterChefRows: readonly DeploymentRow[] = [
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
    // The chef mints for its SyrupBar, which pays.
    payer: '0x009cf7bc57584b7998236eff51b98a168dcea9b0',
    layout: 'v1',
  }),
  pancake({ chef: '0xa5f8c5dbd5f286960b9d90548680ae5ebff07652', layout: 'pancake_v2' }),
  joe('V2', '0xd6a4f121ca35509af06a0be99093d08462f53052', 'joe'),
  joe('V3', '0x188bed1968b795d5c9022f6a0bb5931ac4c18f00', 'joe'),
  joe('Boosted', '0x4483f0b6e2f5486d06958c20f8c39a7abe87bf8f', 'joe_boosted'),
  spooky('0x2b2929e785374c651a81a63878ab22742656dcdd', 'v1'),
  spooky('0x18b4f774fdc7bf685daeef66c2990b1ddd9ea6ad', 'v2'),
]
