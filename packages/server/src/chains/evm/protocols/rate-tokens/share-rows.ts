import type { DeploymentRow } from '../adapter.ts'

type Token = {
  token: string
  label: string
  view: string
  underlying?: string
  provider?: string
  decimals?: number
  kind?: 'yield'
}

type Protocol = Pick<DeploymentRow, 'key' | 'name'> & {
  siteUrl: string
  tokens: Readonly<Record<string, readonly Token[]>>
}

export const rows = ({ tokens, ...protocol }: Protocol): DeploymentRow[] =>
  Object.entries(tokens).map(([chain, list]) => ({ ...protocol, chain, deployment: { tokens: list } }))

export const rated = (label: string, token: string, provider: string, underlying?: string): Token => ({
  label,
  token,
  view: 'getRate',
  provider,
  ...(underlying && { underlying }),
})

export const WETH_AVALANCHE = '0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab'

const USDC_ETHEREUM = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

/** Shares and the Accountant's rate have the decimals of the vault's base. */
const liquid = (token: string, provider: string, base: Pick<Token, 'underlying' | 'decimals'> = {}): Token => ({
  label: 'Liquid vault',
  token,
  view: 'getRate',
  provider,
  kind: 'yield',
  ...base,
})
const LIQUID_USD = { underlying: USDC_ETHEREUM, decimals: 6 }

/** sUSDS off Ethereum has no rate of its own: Spark's oracle brings it. */
const savings = (token: string, provider: string, underlying: string): Token => ({
  ...rated('sUSDS', token, provider, underlying),
  kind: 'yield',
})

export const shareRows: readonly DeploymentRow[] = [
  ...rows({
    key: 'etherfi',
    name: 'ether.fi',
    siteUrl: 'https://www.ether.fi',
    tokens: {
      arbitrum: [
        rated('weETH', '0x35751007a407ca6feffe80b3cb397736d2cf4dbe', '0xcd9e3fb32c8f258555b8292531112bbb5b87e2f4'),
      ],
      avalanche: [
        rated(
          'weETH',
          '0xa3d68b74bf0528fdd07263c60d6488749044914b',
          '0x332648a03fe7f43f6d835d9547cd0fd1bb420944',
          WETH_AVALANCHE,
        ),
      ],
      base: [
        rated('weETH', '0x04c0599ae5a44757c0af6f9ec3b93da8976c150a', '0x5a7a419c59eaadec8dc00bc93ac95612e6e154cf'),
      ],
      ethereum: [
        { label: 'weETH', token: '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee', view: 'getRate' },
        liquid('0xf0bb20865277abd641a307ece5ee04e79073416c', '0x0d05d94a5f1e76c18fbeb7a13d17c8a314088198'),
        liquid('0x917cee801a67f933f2e6b33fc0cd1ed2d5909d88', '0xbe16605b22a7facef247363312121670dfe5afbe'),
        liquid('0x7223442cad8e9ca474fc40109ab981608f8c4273', '0x126af21dc55c300b7d0bbfc4f3898f558ae8156b'),
        liquid('0x83599937c2c9bea0e0e8ac096c6f32e86486b410', '0x04b8136820598a4e50bee21b8b6a23fe25df9bd8'),
        liquid('0xca8711daf13d852ed2121e4be3894dae366039e4', '0x075e60550c6f77f430b284e76af699bc31651f75'),
        liquid('0xc673ef7791724f0dcca38adb47fbb3aef3db6c80', '0xf44bd12956a0a87c2c20113ddfe1537a442526b5', {
          underlying: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
          decimals: 8,
        }),
        liquid('0x08c6f91e2b681faf5e17227f2a44c307b3c1364c', '0xc315d6e14ddcdc7407784e2caf815d131bc1d3e7', LIQUID_USD),
        liquid('0x352180974c71f84a934953cf49c4e538a6f9c997', '0xbae19b38bf727be64af0b578c34985c3d612e2ba', LIQUID_USD),
        liquid('0xeda663610638e6557c27e2f4e973d3393e844e70', '0x1d4f0f05e50312d3e7b65659ef7d06aa74651e0c', LIQUID_USD),
        liquid('0xbc0f3b23930fff9f4894914bd745ababa9588265', '0x95fe19b324be69250138fe8ee50356e9f6d17cfe', LIQUID_USD),
      ],
      optimism: [
        rated('weETH', '0x5a7facb970d094b6c7ff1df0ea68d99e6e73cbff', '0xef42d000a3e85c4e71c57e2c6a1e600e86f5a91b'),
      ],
    },
  }),
  ...rows({
    key: 'sky',
    name: 'Sky',
    siteUrl: 'https://sky.money',
    tokens: {
      arbitrum: [
        savings(
          '0xddb46999f8891663a8f2828d25298f70416d7610',
          '0xc0737f29b964e6fc8025f16b30f2ea4c2e2d6f22',
          '0x6491c05a82219b8d1479057361ff1654749b876b',
        ),
      ],
      base: [
        savings(
          '0x5875eee11cf8398102fdad704c9e96607675467a',
          '0x49af4ee75ae62c2229bb2486a59aa1a999f050f0',
          '0x820c137fa70c8691f0e44dc420a5e53c168921dc',
        ),
      ],
      optimism: [
        savings(
          '0xb5b2dc7fd34c249f4be7fb1fcea07950784229e0',
          '0xe1e4953c93da52b95edd0ffd910565d3369acd6b',
          '0x4f13a96ec5c4cf34e442b46bbd98a0791f20edc3',
        ),
      ],
    },
  }),
]
