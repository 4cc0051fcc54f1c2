import { saleProbeCode } from './contracts/sale-probe.bytecode.ts'

/**
 * `contracts/sale-probe.sol`: replaces the code at a wallet's address during a call. Readers with planned calls must
 * know it.
 */
export const saleProbe = { name: 'SaleProbe', abi: [], runtimeCode: saleProbeCode.runtime } as const
