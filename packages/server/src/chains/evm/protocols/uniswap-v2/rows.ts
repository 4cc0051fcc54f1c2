import type { DeploymentRow } from '../adapter.ts'
import { coreAssets } from '../core-assets.ts'

type Facts = {
  key: string
  name: string
  siteUrl: string
  initCodeHash: string
  factories: Readonly<Record<string, string>>
  feeMillionths?: number
  protocolFee?: { factor: number; perRootK: number; perRootKLast: number }
}

const rows = ({ key, name, siteUrl, initCodeHash, factories, ...fees }: Facts): DeploymentRow[] =>
  Object.entries(factories).map(([chain, factory]) => {
    const deployment = { factory, initCodeHash, tokens: coreAssets[chain] ?? [], ...fees }
    return { key, name, chain, siteUrl, deployment }
  })

const UNISWAP_INIT_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'

/** 0.25 % of a swap, 8/25 of the growth. */
const PANCAKE = {
  key: 'pancakeswap_v2',
  name: 'PancakeSwap V2',
  siteUrl: 'https://pancakeswap.finance',
  feeMillionths: 2_500,
  protocolFee: { factor: 8, perRootK: 17, perRootKLast: 8 },
}

/**
 * Sources: Uniswap's sdk-core and v2-sdk, each fork's SDK or router; fees: DefiLlama. ApeSwap, Camelot, SpookySwap and
 * Honeyswap take other shares of the growth, an error of a few millionths.
 */
export const uniswapV2Rows: readonly DeploymentRow[] = [
  ...rows({
    key: 'uniswap_v2',
    name: 'Uniswap V2',
    siteUrl: 'https://app.uniswap.org',
    initCodeHash: UNISWAP_INIT_CODE_HASH,
    factories: {
      arbitrum: '0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9',
      avalanche: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
      base: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      binance: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
      ethereum: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
      linea: '0x114a43df6c5f54ebb8a9d70cd1951d3dd68004c7',
      optimism: '0x0c3c1c532f1e39edf36be9fe0be1410313e074bf',
      polygon: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c',
    },
  }),
  ...rows({
    key: 'sushiswap',
    name: 'SushiSwap',
    siteUrl: 'https://www.sushi.com',
    initCodeHash: '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
    factories: {
      arbitrum: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      avalanche: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      base: '0x71524b4f93c58fcbf659783284e38825f0622859',
      binance: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      ethereum: '0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac',
      fantom: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      gnosis: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
      optimism: '0xfbc12984689e5f15626bad03ad60160fe98b303c',
      polygon: '0xc35dadb65012ec5796536bd9864ed8773abc74c4',
    },
  }),
  ...rows({
    ...PANCAKE,
    initCodeHash: '0x00fb7f630766e6a796048ea87d01acd3068e8ff67d078148a3fa3f4a84f69bd5',
    factories: { binance: '0xca143ce32fe78f1f7019d7d551a6402fc5350c73' },
  }),
  ...rows({
    ...PANCAKE,
    initCodeHash: '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d',
    factories: {
      arbitrum: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
      base: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
      ethereum: '0x1097053fd2ea711dad45caccc45eff7548fcb362',
      linea: '0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e',
    },
  }),
  ...rows({
    key: 'quickswap',
    name: 'QuickSwap',
    siteUrl: 'https://quickswap.exchange',
    initCodeHash: UNISWAP_INIT_CODE_HASH,
    factories: { polygon: '0x5757371414417b8c6caad45baef941abc7d3ab32' },
  }),
  ...rows({
    key: 'camelot_v2',
    name: 'Camelot V2',
    siteUrl: 'https://camelot.exchange',
    initCodeHash: '0xa856464ae65f7619087bc369daaf7e387dae1e5af69cfa7935850ebf754b04c1',
    factories: { arbitrum: '0x6eccab422d763ac031210895c81787e87b43a652' },
  }),
  ...rows({
    key: 'trader_joe',
    name: 'Trader Joe',
    siteUrl: 'https://traderjoexyz.com',
    initCodeHash: '0x0bbca9af0511ad1a1da383135cf3a8d2ac620e549ef9f6ae3a4c33c2fed0af91',
    factories: { avalanche: '0x9ad6c38be94206ca50bb0d90783181662f0cfa10' },
  }),
  ...rows({
    key: 'pangolin',
    name: 'Pangolin',
    siteUrl: 'https://www.pangolin.exchange',
    initCodeHash: '0x40231f6b438bce0797c9ada29b718a87ea0a5cea3fe9a771abdd76bd41a3e545',
    factories: { avalanche: '0xefa94de7a4656d787667c749f7e1223d71e9fd88' },
  }),
  ...rows({
    key: 'apeswap',
    name: 'ApeSwap',
    siteUrl: 'https://apeswap.finance',
    feeMillionths: 2_000,
    initCodeHash: '0xf4ccce374816856d11f00e4069e7cada164065686fbef53c6167a63ec2fd8c5b',
    factories: { binance: '0x0841bd0b734e4f5853f0dd8d7ea041c241fb0da6' },
  }),
  ...rows({
    key: 'biswap',
    name: 'Biswap',
    siteUrl: 'https://biswap.org',
    feeMillionths: 2_000,
    initCodeHash: '0xfea293c909d87cd4153593f077b76bb7e94340200f4ee84211ae8e4f9bd7ffdf',
    factories: { binance: '0x858e3312ed3a876947ea49d572a7c42de08af7ee' },
  }),
  ...rows({
    key: 'spookyswap',
    name: 'SpookySwap',
    siteUrl: 'https://spooky.fi',
    feeMillionths: 2_000,
    initCodeHash: '0xcdf2deca40a0bd56de8e3ce5c7df6727e5b1bf2ac96f283fa9c4b3e6b42ea9d2',
    factories: { fantom: '0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3' },
  }),
  ...rows({
    key: 'spiritswap',
    name: 'SpiritSwap',
    siteUrl: 'https://www.spiritswap.finance',
    initCodeHash: '0xe242e798f6cee26a9cb0bbf24653bf066e5356ffeac160907fe2cc108e238617',
    factories: { fantom: '0xef45d134b73241eda7703fa787148d9c9f4950b0' },
  }),
  ...rows({
    key: 'honeyswap',
    name: 'Honeyswap',
    siteUrl: 'https://honeyswap.org',
    initCodeHash: '0x3f88503e8580ab941773b59034fb4b2a63e86dbc031b3633a925533ad3ed2b93',
    factories: { gnosis: '0xa818b4f111ccac7aa31d0bcc0806d64f2e0737d7' },
  }),
]
