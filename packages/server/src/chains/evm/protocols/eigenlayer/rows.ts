import type { DeploymentRow } from '../adapter.ts'

/** Source: the README of Layr-Labs/eigenlayer-contracts (git f84a5151, 1 May 2026). */
export const eigenLayerRow: DeploymentRow = {
  key: 'eigenlayer',
  name: 'EigenLayer',
  chain: 'ethereum',
  siteUrl: 'https://www.eigencloud.xyz',
  deployment: {
    delegationManager: '0x39053d51b77dc0d36036fc1fcc8cb819df8ef37a',
    strategyManager: '0x858646372cc42e1a627fce94aa7a7033e7cf075a',
    eigenPodManager: '0x91e677b07f7af907ec9a428aafa9fc14a0d3a338',
    rewardsCoordinator: '0x7750d328b314effa365a0402ccfd489b80b0adda',
    strategies: [
      '0x54945180db7943c0ed0fee7edab2bd24620256bc',
      '0x93c4b944d05dfe6df7645a86cd2206016c51564d',
      '0x1bee69b7dfffa4e2d53c2a2df135c388ad25dcd2',
      '0x9d7ed45ee2e8fc5482fa2428f15c971e6369011d',
      '0x13760f50a9d7377e4f20cb8cf9e4c26586c658ff',
      '0xa4c637e0f704745d182e4d38cab7e7485321d059',
      '0x57ba429517c3473b6d34ca9acd56c0e735b94c02',
      '0x0fe4f44bee93503346a3ac9ee5a26b130a5796d6',
      '0x7ca911e83dabf90c90dd3de5411a10f1a6112184',
      '0x8ca7a5d6f3acd3a7a8bc468a8cd0fb14b6bd28b6',
      '0xae60d8180437b5c34bb956822ac2710972584473',
      '0x298afb19a105d59e74658c4c334ff360bade6dd2',
    ],
    wrapped: [
      {
        strategy: '0xacb55c530acdb2849e6d4f36992cd8c9d50ed8f7',
        token: '0xec53bf9167f50cdeb3ae105f56099aaab9061f83',
      },
    ],
    blockSeconds: 12,
  },
}
