import type { DeploymentRow } from '../adapter.ts'

type Facts = {
  yieldFactories: string[]
  marketFactories: string[]
  pendle: string
  lock?: string
  stake?: string
}

/** The same address on all chains. */
const ORACLE = '0x5542be50420e88dd7d5b4a3d488fa6ed82f6dac2'
const ROUTER = '0x888888888889758f76e7103c6cbf23abbf58f946'

const row = (chain: string, facts: Facts): DeploymentRow => ({
  key: 'pendle',
  name: 'Pendle',
  chain,
  siteUrl: 'https://app.pendle.finance',
  deployment: { oracle: ORACLE, routers: [ROUTER], ...facts },
})

/** Sources: @pendle/core-v2 6.11.0; vePENDLE from Stake DAO's staker and DefiLlama's adapters. */
export const pendleRows: readonly DeploymentRow[] = [
  row('arbitrum', {
    yieldFactories: [
      '0x28de02ac3c3f5ef427e55c321f73fdc7f192e8e4',
      '0xeb38531db128eca928aea1b1ce9e5609b15ba146',
      '0xc7f8f9f1dde1104664b6fc8f33e49b169c12f41e',
      '0xff29e023910fb9bfc86729c1050af193a45a0c0c',
      '0xba814bf6e27a6d6bae4a8ac65c8bc3d8e9b0aacf',
    ],
    marketFactories: [
      '0xf5a7de2d276dbda3eef1b62a9e718eff4d29ddc8',
      '0x2fcb47b58350cd377f94d3821e7373df60bd9ced',
      '0xd9f5e9589016da862d2abce980a5a5b99a94f3e8',
      '0xd29e76c6f15ada0150d10a1d3f45accd2098283b',
      '0x49f2f7002669e0e4425fa0203975625ab4af3143',
    ],
    pendle: '0x0c880f6761f1af8d9aa9c466984b80dab9a8c9e8',
  }),
  row('base', {
    yieldFactories: ['0x963ddbb35c1ae44e2a159e3b5fb5177e0b32660d', '0xddbfa21ecf024971486684e4e1600998adeabc88'],
    marketFactories: ['0x59968008a703dc13e6beaeced644bdce4ee45d13', '0x81e80a50e56d10c501ff17b5fe2f662bd9ea4590'],
    pendle: '0xa99f6e6785da0f5d6fb42495fe424bce029eeb3e',
  }),
  row('berachain', {
    yieldFactories: ['0x2bea6bfd8fbff45aa2a893eb3b6d85d10efcc70e', '0x33f7077b62fa30c865813708ebed535a5ef0a836'],
    marketFactories: ['0x8a09574b0401a856d89d1b583ee22e8cb0c5530b', '0x6131ca76529250679cf9e2a3b07b135f20aab01a'],
    pendle: '0xff9c599d51c407a45d631c6e89cb047efb88aef6',
  }),
  row('binance', {
    yieldFactories: [
      '0xa2530b4cfbf271e2b409a05c2ce520e4cb5fcc88',
      '0x40ae6da2d92aa3dcb7f8d7a7209fd12bdfcb7c85',
      '0xdb6380041441a94050199b4a46771d8d93553509',
      '0xe006760020384a20774dea977c313ef5f51fe17d',
      '0xd8c12d46dde7a04f782d417fae78516448cb2c5b',
    ],
    marketFactories: [
      '0x2bea6bfd8fbff45aa2a893eb3b6d85d10efcc70e',
      '0xc40febf5a33b8c92b187d9be0fd3fe0ac2e4b07c',
      '0x7d20e644d2a9e149e5be9be9ad2ab243a7835d37',
      '0x7c7f73f7a320364dbb3c9aaa9bccd402040ee0f9',
      '0x80ce46449df1c977f6ba60495125ce282f83ddfb',
    ],
    pendle: '0xb3ed0a426155b79b898849803e3b36552f7ed507',
  }),
  row('ethereum', {
    yieldFactories: [
      '0x70ee0a6db4f5a2dc4d9c0b57be97b9987e75bafd',
      '0xdf3601014686674e53d1fa52f7602525483f9122',
      '0x273b4bfa3bb30fe8f32c467b5f0046834557f072',
      '0x35a338522a435d46f77be32c70e215b813d0e3ac',
      '0x3e6eba46abc5ab18ed95f6667d8b2fd4020e4637',
    ],
    marketFactories: [
      '0x27b1dacd74688af24a64bd3c9c1b143118740784',
      '0x1a6fcc85557bc4fb7b534ed835a03ef056552d52',
      '0x3d75bd20c983edb5fd218a1b7e0024f1056c7a2f',
      '0x6fcf753f2c67b83f7b09746bbc4fa0047b35d050',
      '0x6d247b1c044fa1e22e6b04fa9f71baf99eb29a9f',
    ],
    pendle: '0x808507121b80c02388fad14726482e061b8da827',
    lock: '0x4f30a9d41b80ecc5b94306ab4364951ae3170210',
    stake: '0x999999999991e178d52cd95afd4b00d066664144',
  }),
  row('hyperevm', {
    yieldFactories: ['0x523ecb8501c14507bca56d4752da1991c6176758', '0x396797c8ebc52b734424001d2d8eb32528fae831'],
    marketFactories: ['0x44a2ddf5339ffde8c23af4099a64def59b11b128', '0xb5cd902cbef8461b8d6fa852f93784f090fd7beb'],
    pendle: '0xd6eb81136884713e843936843e286fd2a85a205a',
  }),
  row('mantle', {
    yieldFactories: [
      '0x964840644b88c583500f473e4b829ab629af96a8',
      '0x5256e5dbe627e696b2e54eb77c2227276d80cd3c',
      '0x5dfbeaea9e41f85c334075482a20afb7031207ae',
      '0x14030836aec15b2ad48bb097bd57032559339c92',
    ],
    marketFactories: [
      '0xd228ec1f7d4313fe321fab511a872475d07f5ba6',
      '0xca274a44a52241c1a8efb9f84bf492d8363929fc',
      '0xcb02435716b0143d4ac1bdf370302d619e714126',
      '0xa35ae21a593cb06959978e20b33db34163166c79',
    ],
    pendle: '0xd27b18915e7acc8fd6ac75db6766a80f8d2f5729',
  }),
  row('monad', {
    yieldFactories: ['0x4fe1b23ab695d99394ab78c16a5be358f31847f4'],
    marketFactories: ['0xa3cb62a49b66eb2536cf6f3c7ac82293784888a3'],
    pendle: '0x5e49e1f85813f2b65858860a3fa231b4186f2e0e',
  }),
  row('optimism', {
    yieldFactories: [
      '0xf5a7de2d276dbda3eef1b62a9e718eff4d29ddc8',
      '0xfa6b22fc4c3ad88b68c16b3061a16b1714f6bd57',
      '0xf799e4c029d14f41dc1918c9a4c67242f565710e',
      '0xcca0977ea3809c8fb785737eb9facd5b19626e81',
      '0x2ba5e078b1ff6f1ab02a3b4462f3be6e950e60e8',
    ],
    marketFactories: [
      '0x17f100fb4be2707675c6439468d38249dd993d58',
      '0x4a2b38b9cbd83c86f261a4d64c243795d4d44abc',
      '0x73be47237f12f36203823bac9a4d80dc798b7015',
      '0x02adf72d5d06a9c92136562eb237c07696833a84',
      '0x95a937f7064c75c6bc257160088c0a9d58cca333',
    ],
    pendle: '0xbc7b1ff1c6989f006a1185318ed4e7b5796e66e1',
  }),
  row('plasma', {
    yieldFactories: ['0xed0dc8c074255c277bc704d6b096167d7a6e4311', '0xeaecf59c9da00dacb73c4aaebbba22cf5e5bfd93'],
    marketFactories: ['0x28de02ac3c3f5ef427e55c321f73fdc7f192e8e4', '0x84a240fa784e7f03cb99ba3716065961c5d0d531'],
    pendle: '0x17bac5f906c9a0282ac06a59958d85796c831f24',
  }),
  row('sonic', {
    yieldFactories: ['0x0582d93fd9c9d42f26be5d86a5f75291f92102c2', '0x4adf7b42ca2878ba8081b1742af3297e0dba67cc'],
    marketFactories: ['0xfee31a6ec6ebefa0b5a594bf5b1139e3c6faa0fb', '0x0ab3ae25c42a2f3748a018556989355d568fa6d6'],
    pendle: '0xf1ef7d2d4c0c881cd634481e0586ed5d2871a74b',
  }),
]
