import { type DeploymentRow, rowsByChain } from '../adapter.ts'

type Deployment = { factory: string; manager?: string; generation?: 'v1' }

const v1 = (factory: string, manager?: string): Deployment => ({
  factory,
  generation: 'v1',
  ...(manager !== undefined && { manager }),
})

const later = (factory: string, manager: string): Deployment => ({ factory, manager })

/**
 * Sources: DefiLlama's adapters (factories); the protocols' repositories and documents, Algebra's list of subgraph
 * deployments (managers); Algebra's documents (generations).
 */
export const algebraRows: readonly DeploymentRow[] = [
  ...rowsByChain(
    { key: 'quickswap_v3', name: 'QuickSwap V3', siteUrl: 'https://quickswap.exchange' },
    {
      polygon: v1('0x411b0facc3489691f28ad58c47006af5e3ab3a28', '0x8ef88e4c7cfbbac1c163f7eddd4b578792201de6'),
      polygon_zkevm: v1('0x4b9f4d2435ef65559567e5dbfc1bbb37abc43b57', '0xd8e1e7009802c914b0d39b31fc1759a865b727b1'),
    },
  ),
  ...rowsByChain(
    { key: 'quickswap_v4', name: 'QuickSwap V4', siteUrl: 'https://quickswap.exchange' },
    {
      base: later('0xc5396866754799b9720125b104ae01d935ab9c7b', '0x84715977598247125c3d6e2e85370d1f6fda1eaf'),
      soneium: later('0x8ff309f68f6caf77a78e9c20d2af7ed4be2d7093', '0x0629b3c6e1ccff2e31e3a9bd67ec96b23be6f1e9'),
    },
  ),
  ...rowsByChain(
    { key: 'camelot_v3', name: 'Camelot V3', siteUrl: 'https://app.camelot.exchange' },
    {
      arbitrum: v1('0x1a3c9b1d2f0529d97f2afc5136cc23e58f1fd35b', '0x00c7f3082833e796a5b3e4bd59f6642ff44dcd15'),
    },
  ),
  ...rowsByChain(
    { key: 'camelot_v4', name: 'Camelot V4', siteUrl: 'https://app.camelot.exchange' },
    {
      arbitrum: later('0xbefc4b405041c5833f53412ff997ed2f697a2f37', '0xa602e7195fcc9364210181dffa33482b5adce9d8'),
    },
  ),
  ...rowsByChain(
    { key: 'thena_v3', name: 'THENA V3', siteUrl: 'https://thena.fi' },
    {
      binance: v1('0x306f06c147f064a010530292a1eb6737c3e378e4', '0xa51adb08cbe6ae398046a23bec013979816b77ab'),
    },
  ),
  ...rowsByChain(
    { key: 'thena_integral', name: 'THENA Integral', siteUrl: 'https://thena.fi' },
    {
      binance: later('0x30055f87716d3dfd0e5198c27024481099fb4a98', '0x643b68bf3f855b8475c0a700b6d1020bfc21d02e'),
    },
  ),
  ...rowsByChain(
    { key: 'lynex', name: 'Lynex', siteUrl: 'https://app.lynex.fi' },
    { linea: v1('0x622b2c98123d303ae067db4925cd6282b3a08d0f') },
  ),
  ...rowsByChain(
    { key: 'swapr_v3', name: 'Swapr V3', siteUrl: 'https://swapr.eth.limo' },
    {
      gnosis: v1('0xa0864cca6e114013ab0e27cbd5b6f4c8947da766', '0x91fd594c46d8b01e62dbdebed2401dde01817834'),
    },
  ),
  ...rowsByChain(
    { key: 'hydrex', name: 'Hydrex', siteUrl: 'https://www.hydrex.fi' },
    {
      base: later('0x36077d39cdc65e1e3fb65810430e5b2c4d5fa29e', '0xc63e9672f8e93234c73ce954a1d1292e4103ab86'),
    },
  ),
  ...rowsByChain(
    { key: 'kim_v4', name: 'Kim V4', siteUrl: 'https://app.kim.exchange' },
    {
      base: later('0x2f0d41f94d5d1550b79a83d2fe85c82d68c5a3ca', '0xb7cf725e5b697f8338b929e6a52df823f2120a6a'),
      mode: later('0xb5f00c2c5f8821155d8ed27e31932cfd9db3c5d5', '0x2e8614625226d26180adf6530c3b1677d3d7cf10'),
    },
  ),
  ...rowsByChain(
    { key: 'swapx', name: 'SwapX', siteUrl: 'https://swapx.fi' },
    {
      sonic: later('0x8121a3f8c4176e9765deea0b95fa2bdfd3016794', '0xd82fe82244ad01aad671576202f9b46b76fadfe2'),
    },
  ),
  ...rowsByChain(
    { key: 'silverswap', name: 'SilverSwap', siteUrl: 'https://silverswap.io' },
    {
      sonic: later('0xb860200bd68dc39ceafd6ebb82883f189f4cda76', '0x5084e9fdf9264489a14e77c011073d757e572bb4'),
    },
  ),
  ...rowsByChain(
    { key: 'scribe', name: 'Scribe', siteUrl: 'https://scribe.exchange' },
    {
      scroll: later('0xdc62acdf75cc7ea4d93c69b2866d9642e79d5e2e', '0x8b370dc23be270a7fa78ad3803fcaae549ac21fc'),
    },
  ),
  ...rowsByChain(
    { key: 'swapsicle', name: 'Swapsicle', siteUrl: 'https://www.swapsicle.io' },
    {
      mantle: later('0xc848bc597903b4200b9427a3d7f61e3ff0553913', '0x7d24de60a68ae47be4e852cf03dd4d8588b489ec'),
    },
  ),
  ...rowsByChain(
    { key: 'fenix_finance', name: 'Fenix', siteUrl: 'https://www.fenixfinance.io' },
    {
      blast: later('0x7a44cd060afc1b6f4c80a2b9b37f4473e74e25df', '0x8881b3fb762d1d50e6172f621f107e24299aa1cd'),
    },
  ),
  ...rowsByChain(
    { key: 'stellaswap_v3', name: 'StellaSwap V3', siteUrl: 'https://stellaswap.com' },
    {
      moonbeam: v1('0xabe1655110112d0e45ef91e94f8d757e4ddba59c', '0x1ff2adaa387dd27c22b31086e658108588eda03a'),
    },
  ),
  ...rowsByChain(
    { key: 'hercules_v3', name: 'Hercules V3', siteUrl: 'https://app.hercules.exchange' },
    { metis: v1('0xc5bfa92f27df36d268422ee314a1387bb5ffb06a') },
  ),
  ...rowsByChain(
    { key: 'zyberswap_v3', name: 'ZyberSwap V3', siteUrl: 'https://www.zyberswap.io' },
    {
      arbitrum: v1('0x9c2abd632771b433e5e7507bcaa41ca3b25d8544'),
      optimism: v1('0x0c8f7b0cb986b31c67d994fb5c224592a03a4afd'),
    },
  ),
]
