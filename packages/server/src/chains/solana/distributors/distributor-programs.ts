import type { AirdropProtocol } from '../../airdrops.ts'
import type { DistributorRules } from './distributor-layouts.ts'

export type DistributorProgram = DistributorRules & {
  protocol: AirdropProtocol
  title: string
  /** `{distributor}` stands for its address. */
  link: string
}

const jupiter: AirdropProtocol = { key: 'jupiter', name: 'Jupiter' }

/** With published layouts. Left out: Jupiter's first staking rewards, deBridge, Fragmetric, Huma, Grass, Zeta. */
export const distributorPrograms: readonly DistributorProgram[] = [
  {
    program: 'mERKcfxMC5SqJn4Ld4BUris3WKZZ1ojjWJ3A3J5CKxv',
    layout: 'jito',
    protocol: { key: 'jito', name: 'Jito' },
    title: 'Jito airdrop',
    link: 'https://jito.network/airdrop',
  },
  {
    program: 'meRjbQXFNf5En86FXT2YPz1dQzLj4Yb3xK8u1MVgqpb',
    layout: 'jupiterFirst',
    protocol: jupiter,
    title: 'Jupiter airdrop',
    link: 'https://lfg.jup.ag/jup',
  },
  {
    program: 'DiSLRwcSFvtwvMWSs7ubBMvYRaYNYupa76ZSuYLe6D7j',
    layout: 'jupiterBase',
    protocol: jupiter,
    title: 'Jupiter LFG',
    link: 'https://lfg.jup.ag/',
  },
  {
    program: 'DiS3nNjFVMieMgmiQFm6wgJL7nevk4NrhXKLbtEH1Z2R',
    layout: 'jupiterZeroCopy',
    protocol: jupiter,
    title: 'Jupuary',
    link: 'https://jupuary.jup.ag/',
  },
  {
    program: 'KdisqEcXbXKaTrBFqeDLhMmBvymLTwj9GmhDcdJyGat',
    layout: 'jupiterBase',
    protocol: { key: 'kamino', name: 'Kamino' },
    title: 'Kamino airdrop',
    link: 'https://app.kamino.finance/',
  },
  {
    program: 'E7HtfkEMhmn9uwL7EFNydcXBWy5WCYN1vFmKKjipEH1x',
    layout: 'drift',
    opensAtStart: true,
    ramp: { fromMillionths: 500_000n },
    protocol: { key: 'drift', name: 'Drift' },
    title: 'Drift airdrop',
    link: 'https://drift.foundation/',
  },
  {
    program: 'merkp8F8f5EgYSYKadk3YiuQQdo3JPdnJWKviaaF425',
    layout: 'drift',
    opensAtStart: true,
    ramp: { fromMillionths: null },
    protocol: { key: 'nosana', name: 'Nosana' },
    title: 'Nosana airdrop',
    link: 'https://nosana.com/',
  },
  {
    program: 'MErKy6nZVoVAkryxAejJz2juifQ4ArgLgHmaJCQkU7N',
    layout: 'streamflow',
    opensAtStart: true,
    protocol: { key: 'streamflow', name: 'Streamflow' },
    title: 'Streamflow airdrop',
    link: 'https://app.streamflow.finance/airdrops/solana/mainnet/{distributor}',
  },
]
