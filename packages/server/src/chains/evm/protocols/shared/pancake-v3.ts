/** The same addresses on every EVM chain except zkSync. */
export const PANCAKE_V3 = {
  manager: '0x46a15b0b27311cedf172ab29e4f4766fbe7f4364',
  factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
} as const
