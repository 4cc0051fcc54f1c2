import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import type { Deployment } from './deployment.ts'

const HYPE_GATE: EvmAddress = '0x2222222222222222222222222222222222222222'
/** 0x20, zeros, the token number. */
const TOKEN_GATE = /^0x20(?:00){11}[0-9a-f]{16}$/

export const hyperliquidHistory = ({ usdcGate }: Pick<Deployment, 'usdcGate'>): ProtocolHistory => ({
  purposes: {},
  isGate: (address) => address === HYPE_GATE || address === usdcGate || TOKEN_GATE.test(address),
})
