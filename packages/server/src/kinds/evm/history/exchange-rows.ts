import type { EvmAddress } from '../../../domain/evm-address.ts'

/** Routers by chain, and the protocol that they trade at; of a router for several versions, the one in the middle. */
type Exchange = { key: string; routers: Readonly<Record<string, readonly EvmAddress[]>> }

/**
 * Sources: `@uniswap/sdk-core`, `@uniswap/universal-router-sdk`, `@uniswap/v3-periphery` (the first router of v3),
 * `@pancakeswap/universal-router-sdk`, `sushi` (SushiSwap v2). The v2 routers of PancakeSwap, QuickSwap and Trader Joe are those
 * that several public repositories name.
 */
export const exchangeRows: readonly Exchange[] = [
  {
    key: 'uniswap_v2',
    routers: {
      arbitrum: ['0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24'],
      avalanche: ['0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24'],
      base: ['0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24'],
      binance: ['0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24'],
      blast: ['0xbb66eb1c5e875933d44dae661dbd80e5d9b03035'],
      ethereum: ['0x7a250d5630b4cf539739df2c5dacb4c659f2488d'],
      linea: ['0x8702463e73f74d0b6765abceb314ef07acb92650'],
      megaeth: ['0xb73055db2b3a3eae87a331dd88e4a80b43602690'],
      monad: ['0x4b2ab38dbf28d31d467aa8993f6c2585981d6804'],
      optimism: ['0x4a7b5da61326a6379179b40d00f57e5bbdc962c2'],
      polygon: ['0xedf6066a2b290c185783862c7f4776a2c8077ad1'],
      soneium: ['0x273f68c234fa55b550b40e563c4a488e0d334320'],
      unichain: ['0x284f11109359a7e1306c3e447ef14d38400063ff'],
      worldchain: ['0x541ab7c31a119441ef3575f6973277de0ef460bd'],
    },
  },
  {
    key: 'uniswap_v3',
    routers: {
      arbitrum: [
        '0xe592427a0aece92de3edee1f18e0157c05861564',
        '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
        '0x5e325eda8064b456f4781070c0738d849c824258',
        '0xa51afafe0263b40edaef0df8781ea9aa03e381a3',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0x2d01411773c8c24805306e89a41f7855c3c4fe65',
      ],
      avalanche: [
        '0xbb00ff08d01d300023c629e8ffffcb65a5a578ce',
        '0x4dae2f939acf50408e13d58534ff8c2776d45265',
        '0x94b75331ae8d42c1b61065089b7d48fe14aa73b7',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0x661e93cca42afacb172121ef892830ca3b70f08d',
      ],
      base: [
        '0x2626664c2603336e57b271c5c0b26f421741e481',
        '0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad',
        '0x6ff5693b99212da76ad316178a184ab56d299b43',
        '0xfdf682f51fe81aa4898f0ae2163d8a55c127fbc7',
        '0xd6145b2d3f379919e8cdeda7b97e37c4b2ca9c40',
      ],
      binance: [
        '0xb971ef87ede563556b2ed4b1c0b0019111dd85d2',
        '0x4dae2f939acf50408e13d58534ff8c2776d45265',
        '0x1906c1d672b88cd1b9ac7593301ca990f94eae07',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0xdc264714f68d84cf29bc605589405e78bdbe7c9f',
      ],
      blast: [
        '0x549feb8c9bd4c12ad2ab27022da12492ac452b66',
        '0x643770e279d5d0733f21d6dc03a8efbabf3255b4',
        '0xeabbcb3e8e415306207ef514f660a3f820025be3',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0x661e93cca42afacb172121ef892830ca3b70f08d',
      ],
      celo: [
        '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
        '0x643770e279d5d0733f21d6dc03a8efbabf3255b4',
        '0xcb695bc5d3aa22cad1e6df07801b061a05a0233a',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0xe2023f3fa515cf070e07fd9d51c1d236e07843f4',
      ],
      ethereum: [
        '0xe592427a0aece92de3edee1f18e0157c05861564',
        '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
        '0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad',
        '0x66a9893cc07d91d95644aedd05d03f95e1dba8af',
        '0x4c82d1fbfe28c977cbb58d8c7ff8fcf9f70a2cca',
        '0x23617e59a5925b2a4bf75d73ff6711cd0b29de85',
        '0xab863e752bf67d8dcdd929eaae9be9dc83fb3bbb',
      ],
      ink: [
        '0x177778f19e89dd1012bdbe603f144088a95c4b53',
        '0x112908dac86e20e7241b0927479ea3bf935d1fa0',
        '0x661e93cca42afacb172121ef892830ca3b70f08d',
        '0x8bbcaeb326ad590521a921c9e457ee09f336b48c',
      ],
      linea: [
        '0x3d4e44eb1374240ce5f1b871ab261cd16335b76a',
        '0x661e93cca42afacb172121ef892830ca3b70f08d',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0xdc264714f68d84cf29bc605589405e78bdbe7c9f',
      ],
      megaeth: [
        '0x48020de9208bafc183f5cad5118ffbe8f0f913f5',
        '0x48fd03529d2a91be835f07f6b72f53b4aad6093d',
        '0xaedd1cf4c14e833140a61e9c0d2b73a64795c823',
      ],
      monad: [
        '0xfe31f71c1b106eac32f1a19239c9a9a72ddfb900',
        '0x0d97dc33264bfc1c226207428a79b26757fb9dc3',
        '0xfdf682f51fe81aa4898f0ae2163d8a55c127fbc7',
        '0xa6ce4f10d83dbddac17e68e1837ca9ce6a1b596e',
      ],
      optimism: [
        '0xe592427a0aece92de3edee1f18e0157c05861564',
        '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
        '0xcb1355ff08ab38bbce60111f1bb2b784be25d7e8',
        '0x851116d9223fabed8e56c0e6b8ad0c31d98b3507',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0xc09255d86db563cbc11c2fcf4a0c512e160111b4',
      ],
      polygon: [
        '0xe592427a0aece92de3edee1f18e0157c05861564',
        '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
        '0xec7be89e9d109e7e3fec59c222cf297125fefda2',
        '0x1095692a6237d83c6a72f3f5efedb9a670c49223',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0xdc264714f68d84cf29bc605589405e78bdbe7c9f',
      ],
      rootstock: ['0x0b14ff67f0014046b4b99057aec4509640b3947a'],
      soneium: [
        '0x7e40db01736f88464e5f4e42394f3d5bbb6705b9',
        '0x0e2850543f69f678257266e0907ff9a58b3f13de',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0x661e93cca42afacb172121ef892830ca3b70f08d',
      ],
      unichain: [
        '0x73855d06de49d0fe4a9c42636ba96c62da12ff9c',
        '0x4d73a4411ca1c660035e4aecc8270e5dddec8c17',
        '0xef740bf23acae26f6492b10de645d6b98dc8eaf3',
        '0xfdf682f51fe81aa4898f0ae2163d8a55c127fbc7',
        '0xd1b797d92d87b688193a2b976efc8d577d204343',
      ],
      worldchain: [
        '0x091ad9e2e6e5ed44c1c66db50e49a601f9f36cf6',
        '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
        '0x8ac7bee993bb44dab564ea4bc9ea67bf9eb5e743',
        '0x8b844f885672f333bc0042cb669255f93a4c1e6b',
        '0xf025e0fe9e331a0ef05c2ad3c4e9c64b625cda6f',
      ],
      zksync: ['0x99c56385dabce3e81d8499d0b8d0257abc07e8a3', '0x28731bcc616b5f51dd52cf2e4df0e78dd1136c06'],
      zora: [
        '0x7de04c96be5159c3b5ceffc82aa176dc81281557',
        '0x2986d9721a49838ab4297b695858af7f17f38014',
        '0x3315ef7ca28db74abadc6c44570efdf06b04b020',
        '0xfdf682f51fe81aa4898f0ae2163d8a55c127fbc7',
        '0xf025e0fe9e331a0ef05c2ad3c4e9c64b625cda6f',
      ],
    },
  },
  { key: 'pancakeswap_v2', routers: { binance: ['0x10ed43c718714eb63d5aa57b78b54704e256024e'] } },
  { key: 'quickswap', routers: { polygon: ['0xa5e0829caced8ffdd4de3c43696c57f7d7a678ff'] } },
  { key: 'trader_joe', routers: { avalanche: ['0x60ae616a2155ee3d9a68541ba4544862310933d4'] } },
  {
    key: 'sushiswap',
    routers: {
      arbitrum: ['0x1b02da8cb0d097eb8d57a175b88c7d8b47997506'],
      avalanche: ['0x1b02da8cb0d097eb8d57a175b88c7d8b47997506'],
      binance: ['0x1b02da8cb0d097eb8d57a175b88c7d8b47997506'],
      ethereum: ['0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f'],
      fantom: ['0x1b02da8cb0d097eb8d57a175b88c7d8b47997506'],
      gnosis: ['0x1b02da8cb0d097eb8d57a175b88c7d8b47997506'],
      polygon: ['0x1b02da8cb0d097eb8d57a175b88c7d8b47997506'],
    },
  },
  {
    key: 'pancakeswap_v3',
    routers: {
      arbitrum: ['0xfe6508f0015c778bdcc1fb5465ba5ebe224c9912'],
      base: ['0xd9c500dff816a1da21a48a732d3498bf09dc9aeb'],
      binance: [
        '0x13f4ea83d0bd40e75c8222255bc855a974568dd4',
        '0x1a0a18ac4becddbd6389559687d1a73d8927e416',
        '0xd9c500dff816a1da21a48a732d3498bf09dc9aeb',
      ],
      ethereum: ['0x13f4ea83d0bd40e75c8222255bc855a974568dd4', '0x65b382653f7c31bc0af67f188122035461ec9c76'],
      linea: ['0xfe6508f0015c778bdcc1fb5465ba5ebe224c9912'],
      monad: ['0x23682a588cf2601aca977df200938634c9f7d552'],
      opbnb: ['0xb89a6778d1efe7a5b7096757a21b810cc2886fa1'],
      zksync: ['0xdaee41e335322c85ff2c5a6745c98e1351806e98'],
    },
  },
]
