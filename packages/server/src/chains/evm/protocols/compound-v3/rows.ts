import type { DeploymentRow } from '../adapter.ts'

type Facts = {
  rewards: string
  bulkers: string[]
  markets: Readonly<Record<string, string>>
}

const row = (chain: string, { rewards, bulkers, markets }: Facts): DeploymentRow => ({
  key: 'compound_v3',
  name: 'Compound V3',
  chain,
  siteUrl: 'https://app.compound.finance',
  deployment: { markets: Object.entries(markets).map(([label, comet]) => ({ label, comet })), rewards, bulkers },
})

/** Source: deployments in compound-finance/comet, at d5a30b0. Ronin, with two more, is not in the catalog. */
export const compoundV3Rows: readonly DeploymentRow[] = [
  row('arbitrum', {
    rewards: '0x88730d254a2f7e6ac8388c3198afd694ba9f7fae',
    bulkers: ['0xbde8f31d2ddda895264e27dd990fab3dc87b372d'],
    markets: {
      'USDC.e': '0xa5edbdd9646f8dff606d7448e414884c7d905dca',
      USDC: '0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf',
      USDT: '0xd98be00b5d27fc98112bde293e487f8d4ca57d07',
      WETH: '0x6f7d514bbd4aff3bcd1140b7344b32f063dee486',
    },
  }),
  row('base', {
    rewards: '0x123964802e6ababbe1bc9547d72ef1b69b00a6b1',
    bulkers: ['0x78d0677032a35c63d142a48a2037048871212a8c'],
    markets: {
      AERO: '0x784efeb622244d2348d4f2522f8860b96fbece89',
      USDbC: '0x9c4ec768c28520b50860ea7a15bd7213a9ff58bf',
      USDC: '0xb125e6687d4313864e53df431d5425969c15eb2f',
      USDS: '0x2c776041ccfe903071af44aa147368a9c8eea518',
      WETH: '0x46e6b214b524310239732d51387075e0e70970bf',
    },
  }),
  row('ethereum', {
    rewards: '0x1b0e765f6224c21223aea2af16c1c46e38885a40',
    bulkers: ['0xa397a8c2086c554b531c02e29f3291c9704b00c7', '0x2c776041ccfe903071af44aa147368a9c8eea518'],
    markets: {
      USDC: '0xc3d688b66703497daa19211eedff47f25384cdc3',
      USDS: '0x5d409e56d886231adaf00c8775665ad0f9897b56',
      USDT: '0x3afdc9bca9213a35503b077a6072f3d0d5ab0840',
      WBTC: '0xe85dc543813b8c2cfeaac371517b925a166a9293',
      WETH: '0xa17581a9e3356d9a858b789d68b4d866e593ae94',
      wstETH: '0x3d0bb1ccab520a66e607822fc55bc921738fafe3',
    },
  }),
  row('linea', {
    rewards: '0x2c7118c4c88b9841fcf839074c26ae8f035f2921',
    bulkers: ['0x023ee795361b28cdbb94e302983578486a0a5f1b'],
    markets: {
      USDC: '0x8d38a3d6b3c3b7d96d6536da7eef94a9d7dbc991',
      WETH: '0x60f2058379716a64a7a5d29219397e79bc552194',
    },
  }),
  row('mantle', {
    rewards: '0xcd83cbbfce149d141a5171c3d6a0f0fccee225ab',
    bulkers: ['0x67dfca85cceefa2c5b1db4dee3bea716a28b9baa'],
    markets: {
      USDe: '0x606174f62cd968d8e684c645080fa694c1d7786e',
    },
  }),
  row('optimism', {
    rewards: '0x443ea0340cb75a160f31a440722dec7b5bc3c2e9',
    bulkers: ['0xcb3643cc8294b23171272845473dec49739d4ba3'],
    markets: {
      USDC: '0x2e44e174f7d53f0212823acc11c01a11d58c5bcb',
      USDT: '0x995e394b8b2437ac8ce61ee0bc610d617962b214',
      WETH: '0xe36a30d249f7761327fd973001a32010b521b6fd',
    },
  }),
  row('polygon', {
    rewards: '0x45939657d1ca34a8fa39a924b71d28fe8431e581',
    bulkers: ['0x59e242d352ae13166b4987ae5c990c232f7f7cd6'],
    markets: {
      USDC: '0xf25212e676d1f7f89cd72ffee66158f541246445',
      USDT: '0xaeb318360f27748acb200ce616e389a6c9409a07',
    },
  }),
  row('scroll', {
    rewards: '0x70167d30964cbfdc315ecae02441af747be0c5ee',
    bulkers: ['0x53c6d04e3ec7031105baea05b36cbc3c987c56fa'],
    markets: {
      USDC: '0xb2f97c1bd3bf02f5e74d13f02e3e26f93d77ce44',
    },
  }),
  row('unichain', {
    rewards: '0x6f7d514bbd4aff3bcd1140b7344b32f063dee486',
    bulkers: ['0x58ebb8db8b4fdf2dcbbb16e04c2f5b952963b514'],
    markets: {
      USDC: '0x2c7118c4c88b9841fcf839074c26ae8f035f2921',
      WETH: '0x6c987dde50db1dcdd32cd4175778c2a291978e2a',
    },
  }),
]
