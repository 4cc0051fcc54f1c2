import { saleProbeCode } from './contracts/sale-probe.bytecode.ts'

/** `contracts/sale-probe.sol`: stands at a wallet's address for a call. A reader that is given planned calls needs to know it. */
export const saleProbe = { name: 'SaleProbe', abi: [], runtimeCode: saleProbeCode.runtime } as const
