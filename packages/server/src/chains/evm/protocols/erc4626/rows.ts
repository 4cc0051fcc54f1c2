import { type DeploymentRow, rowsByChain } from '../adapter.ts'
import wrappedATokens from './wrapped-atokens.json' with { type: 'json' }

type Vaults = readonly string[]

const rows = (key: string, name: string, siteUrl: string, vaultsByChain: Readonly<Record<string, Vaults>>) =>
  Object.entries(vaultsByChain).map(
    ([chain, vaults]): DeploymentRow => ({ key, name, chain, siteUrl, deployment: { vaults } }),
  )

const CHAINS = [
  'arbitrum',
  'avalanche',
  'base',
  'binance',
  'ethereum',
  'fantom',
  'gnosis',
  'linea',
  'optimism',
  'polygon',
]

/**
 * Sources: the Spark address registry, Sky's ChainLog, @aave-dao/aave-address-book 4.68.1 (a test compares them;
 * earlier wrapped aTokens convert by Aave's index), Balancer's reviewed rate providers, DefiLlama.
 */
export const vaultRows: readonly DeploymentRow[] = [
  // A vault that a later row names belongs to that row.
  ...rowsByChain(
    { key: 'erc4626', name: 'ERC-4626 vaults' },
    Object.fromEntries(CHAINS.map((chain) => [chain, { vaults: [], open: true }])),
  ),
  ...rows('sky', 'Sky', 'https://sky.money', {
    ethereum: [
      '0x83f20f44975d03b1b09e64809b757c47f942beea', // sDAI
      '0xa3931d71877c0e7a3148cb7eb4463524fec27fbd', // sUSDS
      '0x99cd4ec3f88a45940936f469e4bb72a2a701eeb9', // stUSDS
    ],
    gnosis: ['0xaf204776c7245bf4147c2612bf6e5972ee483701'], // sDAI
  }),
  ...rows('spark_savings', 'Spark Savings', 'https://app.spark.fi', {
    ethereum: [
      '0xbc65ad17c5c0a2a4d159fa5a503f4992c7b545fe', // sUSDC
      '0x28b3a8fb53b741a8fd78c0fb9a6b2393d896a43d', // spUSDC
      '0xe2e7a17dff93280dec073c995595155283e3c372', // spUSDT
      '0xfe6eb3b609a7c8352a241f7f3a21cea4e9209b8f', // spETH
      '0x80128dbb9f07b93dde62a6daeadb69ed14a7d354', // spPYUSD
    ],
    arbitrum: [
      '0x940098b108fb7d0a7e374f6eded7760787464609', // sUSDC
      '0x45d91340b3b7b96985a72b5c678f7d9e8d664b62', // spUSDT
    ],
    avalanche: ['0x28b3a8fb53b741a8fd78c0fb9a6b2393d896a43d'], // spUSDC
    base: ['0x3128a0f7f0ea68e7b7c9b00afa7e41045828e858'], // sUSDC
    optimism: ['0xcf9326e24ebffbef22ce1050007a43a3c0b6db55'], // sUSDC
    unichain: ['0x14d9143becc348920b68d123687045db49a016c6'], // sUSDC
  }),
  ...rows('frax', 'Frax', 'https://frax.com', {
    ethereum: [
      '0xac3e018457b222d93114458476f3e3416abbe38f', // sfrxETH
      '0xcf62f905562626cfcdd2261162a51fd02fc9c5b6', // sfrxUSD
    ],
  }),
  ...rows('gogopool', 'GoGoPool', 'https://www.gogopool.com', {
    avalanche: ['0xa25eaf2906fa1a3a13edac9b9657108af7b703e3'], // ggAVAX
  }),
  ...rows('origin', 'Origin', 'https://www.originprotocol.com', {
    ethereum: ['0xdcee70654261af21c44c093c300ed3bb97b78192'], // wOETH
  }),
  ...rows('puffer', 'Puffer', 'https://www.puffer.fi', {
    ethereum: ['0xd9a442856c234a39a81a089c06451ebaa4306a72'], // pufETH
  }),
  ...rows('aave_v3_stata', 'Aave V3 wrapped aTokens', 'https://app.aave.com', wrappedATokens),
]
