import type { DeploymentRow } from '../adapter.ts'

type Market = { label?: string; pool: string; dataProvider: string; incentives?: string }

const protocol =
  (version: 'v2' | 'v3', names: Pick<DeploymentRow, 'key' | 'name' | 'siteUrl'>) =>
  (chain: string, markets: Market[]): DeploymentRow => ({
    ...names,
    chain,
    deployment: { version, markets: markets.map((market) => ({ label: 'Core', ...market })) },
  })

const aaveV3 = protocol('v3', { key: 'aave_v3', name: 'Aave V3', siteUrl: 'https://app.aave.com' })
const aaveV2 = protocol('v2', { key: 'aave_v2', name: 'Aave V2', siteUrl: 'https://app.aave.com' })
const spark = protocol('v3', { key: 'spark', name: 'SparkLend', siteUrl: 'https://app.spark.fi' })

const MULTICHAIN: Market = {
  pool: '0x794a61358d6845594f94dc1db02a252b5b4814ad',
  dataProvider: '0x243aa95cac2a25651eda86e80bee66114413c43b',
  incentives: '0x929ec64c34a17401f460460d4b9390518e5b473e',
}

/** Source: @aave-dao/aave-address-book 4.68.1, checked by the test; Spark: its address registry. */
export const aaveRows: readonly DeploymentRow[] = [
  aaveV3('arbitrum', [MULTICHAIN]),
  aaveV3('avalanche', [MULTICHAIN]),
  aaveV3('base', [
    {
      pool: '0xa238dd80c259a72e81d7e4664a9801593f98d1c5',
      dataProvider: '0x0f43731eb8d45a581f4a36dd74f5f358bc90c73a',
      incentives: '0xf9cc4f0d883f1a1eb2c253bdb46c254ca51e1f44',
    },
  ]),
  aaveV3('binance', [
    {
      pool: '0x6807dc923806fe8fd134338eabca509979a7e0cb',
      dataProvider: '0xc90df74a7c16245c5f5c5870327ceb38fe5d5328',
      incentives: '0xc206c2764a9dbf27d599613b8f9a63acd1160ab4',
    },
  ]),
  aaveV3('ethereum', [
    {
      pool: '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2',
      dataProvider: '0x0a16f2fcc0d44fae41cc54e079281d84a363becd',
      incentives: '0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb',
    },
    {
      label: 'Prime',
      pool: '0x4e033931ad43597d96d6bcc25c280717730b58b1',
      dataProvider: '0xb85b2bfebec4f5f401dbf92ac147a3076391fcd5',
      incentives: '0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb',
    },
    {
      label: 'EtherFi',
      pool: '0x0aa97c284e98396202b6a04024f5e2c65026f3c0',
      dataProvider: '0x7c8509591f9693d21280d96e149a08a3bf69cd0c',
      incentives: '0x8164cc65827dcfe994ab23944cbc90e0aa80bfcb',
    },
    {
      label: 'Horizon',
      pool: '0xae05cd22df81871bc7cc2a04becfb516bfe332c8',
      dataProvider: '0x53519c32f73fe1797d10210c4950ffeba3b21504',
      incentives: '0x1d5d386a90cea8acea9fa75389e97cf5f1ae21d3',
    },
  ]),
  aaveV3('gnosis', [
    {
      pool: '0xb50201558b00496a145fe76f7424749556e326d8',
      dataProvider: '0xf1f5acb596568895393cb5e4d0452d6592a2fa70',
      incentives: '0xad4f91d26254b6b0c6346b390dda2991fde2f20d',
    },
  ]),
  aaveV3('linea', [
    {
      pool: '0xc47b8c00b0f69a36fa203ffeac0334874574a8ac',
      dataProvider: '0x47cd4b507b81cb831669c71c7077f4daf6762ff4',
      incentives: '0xc67bb8f2314fa0df50cba314c6509a7bdad500c0',
    },
  ]),
  aaveV3('optimism', [MULTICHAIN]),
  aaveV3('polygon', [MULTICHAIN]),
  aaveV2('avalanche', [
    {
      pool: '0x4f01aed16d97e3ab5ab2b501154dc9bb0f1a5a2c',
      dataProvider: '0x65285e9dfab318f57051ab2b139cccf232945451',
      incentives: '0x01d83fe6a10d2f2b7af17034343746188272cac9',
    },
  ]),
  aaveV2('ethereum', [
    {
      pool: '0x7d2768de32b0b80b7a3454c06bdac94a69ddc7a9',
      dataProvider: '0x057835ad21a177dbdd3090bb1cae03eacf78fc6d',
      incentives: '0xd784927ff2f95ba542bfc824c8a8a98f3495f6b5',
    },
    {
      label: 'AMM',
      pool: '0x7937d4799803fbbe595ed57278bc4ca21f3bffcb',
      dataProvider: '0xc443ad9dde3cecfb9dfc5736578f447afe3590ba',
    },
    {
      label: 'Arc',
      pool: '0x37d7306019a38af123e4b245eb6c28af552e0bb0',
      dataProvider: '0x71b53fc437ccd988b1b89b1d4605c3c3d0c810ea',
    },
  ]),
  aaveV2('polygon', [
    {
      pool: '0x8dff5e27ea6b7ac08ebfdf9eb090f32ee9a30fcf',
      dataProvider: '0x7551b5d2763519d4e37e8b81929d336de671d46d',
      incentives: '0x357d51124f59836ded84c8a1730d72b749d8bc23',
    },
  ]),
  spark('ethereum', [
    {
      pool: '0xc13e21b648a5ee794902342038ff3adab66be987',
      dataProvider: '0xfc21d6d146e6086b8359705c8b28512a983db0cb',
      incentives: '0x4370d3b6c9588e02ce9d22e684387859c7ff5b34',
    },
  ]),
  spark('gnosis', [
    {
      pool: '0x2dae5307c5e3fd1cf5a72cb6f698f915860607e0',
      dataProvider: '0x2a002054a06546bb5a264d57a81347e23af91d18',
    },
  ]),
]
