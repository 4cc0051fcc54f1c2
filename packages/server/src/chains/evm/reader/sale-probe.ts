import { saleProbeCode } from './contracts/sale-probe.bytecode.ts'

/** Replaces a wallet's code during a call. Readers with planned calls must know it. */
export const saleProbe = { name: 'SaleProbe', abi: [], runtimeCode: saleProbeCode.runtime } as const
