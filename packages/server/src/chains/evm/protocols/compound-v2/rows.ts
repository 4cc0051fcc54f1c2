import type { DeploymentRow } from '../adapter.ts'

type Facts = {
  key: string
  name: string
  siteUrl: string
  comptrollers: Readonly<Record<string, string>>
  rewards?: { scheme: 'comp' | 'venus'; token: string } | { scheme: 'moonwell'; distributor: string }
  vai?: string
}

const rows = ({ key, name, siteUrl, comptrollers, rewards, vai }: Facts): DeploymentRow[] =>
  Object.entries(comptrollers).map(([chain, comptroller]) => ({
    key,
    name,
    chain,
    siteUrl,
    deployment: { comptroller, ...(rewards && { rewards }), ...(vai && { vai }) },
  }))

const MOONWELL = { key: 'moonwell', name: 'Moonwell', siteUrl: 'https://moonwell.fi' } as const

/**
 * Sources: DefiLlama's registry of Compound forks, the protocols' documents, moonwell-fi/moonwell-contracts-v2 (git
 * 45866f4c), `chains`, without a distributor on Ethereum. Rewards of Venus off BNB Chain (own distributors) and of
 * BENQI (several tokens) are not read.
 */
export const compoundV2Rows: readonly DeploymentRow[] = [
  ...rows({
    key: 'compound_v2',
    name: 'Compound V2',
    siteUrl: 'https://app.compound.finance',
    comptrollers: {
      ethereum: '0x3d9819210a31b4961b30ef54be2aed79b9c9cd3b',
    },
    rewards: { token: '0xc00e94cb662c3520282e6f5717214004a7f26888', scheme: 'comp' },
  }),
  ...rows({
    key: 'venus',
    name: 'Venus',
    siteUrl: 'https://app.venus.io',
    comptrollers: {
      binance: '0xfd36e2c2a6789db23113685031d7f16329158384',
    },
    rewards: { token: '0xcf6bb5389c92bdda8a3747ddb454cb7a64626c63', scheme: 'venus' },
    vai: '0x4bd17003473389a42daf6a0a729f6fdb328bbbd7',
  }),
  ...rows({
    key: 'venus',
    name: 'Venus',
    siteUrl: 'https://app.venus.io',
    comptrollers: {
      ethereum: '0x687a01ecf6d3907658f7a7c714749fac32336d1b',
      arbitrum: '0x317c1a5739f39046e20b08ac9beea3f10fd43326',
      base: '0x0c7973f9598aa62f9e03b94e92c967fd5437426c',
      optimism: '0x5593ff68be84c966821eef5f0a988c285d5b7cec',
    },
  }),
  ...rows({
    ...MOONWELL,
    comptrollers: { base: '0xfbb21d0380bee3312b33c4353c8936a0f13ef26c' },
    rewards: { scheme: 'moonwell', distributor: '0xe9005b078701e2a0948d2eac43010d35870ad9d2' },
  }),
  ...rows({
    ...MOONWELL,
    comptrollers: { optimism: '0xca889f40aae37fff165bccf69aef1e82b5c511b9' },
    rewards: { scheme: 'moonwell', distributor: '0xf9524bfa18c19c3e605fbfe8dfd05c6e967574aa' },
  }),
  ...rows({
    ...MOONWELL,
    comptrollers: { ethereum: '0xdec80bb934397575594e91970b37baf65f5b21be' },
  }),
  ...rows({
    key: 'mendi',
    name: 'Mendi Finance',
    siteUrl: 'https://mendi.finance',
    comptrollers: {
      linea: '0x1b4d3b0421ddc1eb216d230bc01527422fb93103',
    },
  }),
  ...rows({
    key: 'benqi',
    name: 'BENQI',
    siteUrl: 'https://benqi.fi',
    comptrollers: {
      avalanche: '0x486af39519b4dc9a7fccd318217352830e8ad9b4',
    },
  }),
  ...rows({
    key: 'sonne',
    name: 'Sonne Finance',
    siteUrl: 'https://sonne.finance',
    comptrollers: {
      optimism: '0x60cf091cd3f50420d50fd7f707414d0df4751c58',
      base: '0x1db2466d9f5e10d7090e7152b68d62703a2245f0',
    },
  }),
  ...rows({
    key: 'flux',
    name: 'Flux Finance',
    siteUrl: 'https://fluxfinance.com',
    comptrollers: {
      ethereum: '0x95af143a021df745bc78e845b54591c53a8b3a51',
    },
  }),
  ...rows({
    key: 'strike',
    name: 'Strike',
    siteUrl: 'https://strike.org',
    comptrollers: {
      ethereum: '0xe2e17b2cbbf48211fa7eb8a875360e5e39ba2602',
    },
  }),
  ...rows({
    key: 'banker_joe',
    name: 'Banker Joe',
    siteUrl: 'https://traderjoexyz.com',
    comptrollers: {
      avalanche: '0xdc13687554205e5b89ac783db14bb5bba4a1edac',
    },
  }),
]
