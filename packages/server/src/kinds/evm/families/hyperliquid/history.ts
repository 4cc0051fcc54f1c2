import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { FamilyHistory } from '../../history/family-history.ts'
import type { Deployment } from './deployment.ts'

/** Through it HYPE passes to HyperCore and back. */
const HYPE_GATE: EvmAddress = '0x2222222222222222222222222222222222222222'
/** The address of each other token: 0x20 and, at the end, its number. */
const TOKEN_GATE = /^0x20(?:00){11}[0-9a-f]{16}$/

/** What passes between HyperEVM and the wallet's account on HyperCore, where nothing is logged. */
export const hyperliquidHistory = ({ usdcGate }: Pick<Deployment, 'usdcGate'>): FamilyHistory => ({
  purposes: {},
  isGate: (address) => address === HYPE_GATE || address === usdcGate || TOKEN_GATE.test(address),
})
