import type { DeploymentRow } from '../adapter.ts'

const CONVEX = { key: 'convex', name: 'Convex', siteUrl: 'https://www.convexfinance.com' }
const AURA = { key: 'aura', name: 'Aura', siteUrl: 'https://aura.finance' }
const SIDE_BOOSTER = '0xf403c135812408bfbe8713b5a23a04b3d48aae31'
/** Every chain but Ethereum. */
const AURA_LITE = '0x98ef32edd24e2c92525e59afc4475c1242a30184'
const AURA_OFT = '0x1509706a6c66ca549ff0cb464de88231ddbe213b'

const side = (chain: string, address: string): DeploymentRow => ({
  ...CONVEX,
  chain,
  deployment: { boosters: [{ address, layout: 'side' }] },
})
const aura = (chain: string): DeploymentRow => ({
  ...AURA,
  chain,
  deployment: { boosters: [{ address: AURA_LITE, layout: 'vaults' }], bonus: AURA_OFT },
})

/**
 * Sources: `contracts.json` of `convex-eth/platform` and `convex-eth/sidechain-platform`, `tasks/deploy` of
 * `aurafinance/aura-contracts`.
 */
export const convexRows: readonly DeploymentRow[] = [
  {
    ...CONVEX,
    chain: 'ethereum',
    deployment: {
      boosters: [{ address: '0xf403c135812408bfbe8713b5a23a04b3d48aae31', layout: 'silent' }],
      bonus: '0x4e3fbd56cd56c3e72c1403e103b45db9da5b9d2b',
      beside: [
        // cvxCRV, its wrapper, CVX.
        {
          pool: '0x3fe65692bfcd0e6cf84cb1e7d24108e434a7587e',
          token: '0x62b9c7356a2dc64a1969e19c23e4f579f9810aa7',
        },
        {
          pool: '0xaa0c3f5f7dfd688c6e646f66cd2a6b66acdbe434',
          token: '0x62b9c7356a2dc64a1969e19c23e4f579f9810aa7',
          wrapped: true,
        },
        {
          pool: '0xcf50b810e57ac33b91dcf525c6ddd9881b139332',
          token: '0x4e3fbd56cd56c3e72c1403e103b45db9da5b9d2b',
          paid: '0x62b9c7356a2dc64a1969e19c23e4f579f9810aa7',
        },
      ],
      locker: {
        address: '0x72a19342e8f1838460ebfccef09f6585e32db86e',
        token: '0x4e3fbd56cd56c3e72c1403e103b45db9da5b9d2b',
        boosted: true,
      },
    },
  },
  side('arbitrum', SIDE_BOOSTER),
  side('polygon', SIDE_BOOSTER),
  side('fraxtal', '0xd3327cb05a8e0095a543d582b5b3ce3e19270389'),
  {
    ...AURA,
    chain: 'ethereum',
    deployment: {
      boosters: [
        { address: '0xa57b8d98dae62b26ec3bcc4a365338157060b234', layout: 'vaults' },
        { address: '0x7818a1da7bd1e64c199029e86ba244a9798eee10', layout: 'vaults' },
      ],
      bonus: '0xc0c293ce456ff0ed870add98a0828dd4d2903dbf',
      beside: [
        // auraBAL, current and former.
        {
          pool: '0x00a7ba8ae7bca0b10a32ea1f8e2a1da980c6cad2',
          token: '0x616e8bfa43f920657b3497dbf40d6b1a02d4608d',
        },
        {
          pool: '0x5e5ea2048475854a5702f5b8468a51ba1296efcc',
          token: '0x616e8bfa43f920657b3497dbf40d6b1a02d4608d',
        },
      ],
      locker: {
        address: '0x3fa73f1e5d8a792c80f426fc8f84fbf7ce9bbcac',
        token: '0xc0c293ce456ff0ed870add98a0828dd4d2903dbf',
        boosted: false,
      },
    },
  },
  ...['arbitrum', 'base', 'avalanche', 'gnosis', 'fraxtal', 'optimism', 'polygon'].map(aura),
]
