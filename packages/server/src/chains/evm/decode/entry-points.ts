import type { EvmAddress } from '../../../domain/evm-address.ts'

export const ENTRY_POINT_PROTOCOL = 'erc4337'

/** ERC-4337, at the same address on every chain. Source: viem. */
export const entryPoints: readonly { version: string; address: EvmAddress }[] = [
  { version: 'v0.6', address: '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789' },
  { version: 'v0.7', address: '0x0000000071727de22e5e9d8baf0edac6f37da032' },
  { version: 'v0.8', address: '0x4337084d9e255ff0702461cf8895ce9e3b5ff108' },
  { version: 'v0.9', address: '0x433709009b8330fda32311df1c2afa402ed8d009' },
]
