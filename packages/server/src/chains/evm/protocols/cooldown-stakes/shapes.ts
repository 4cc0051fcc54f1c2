import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, ProtocolContract } from '../adapter.ts'
import type { Deployment } from './deployment.ts'
import { siloStakes } from './silo.ts'
import { umbrellaStakes } from './umbrella.ts'
import { plainStakes, windowStakes } from './window.ts'

export type StakeShape = {
  discover(reader: EvmReader, stake: EvmAddress): Promise<ProtocolContract>
  /** For a wallet without shares. */
  probe(reader: EvmReader, stake: ProtocolContract, wallet: EvmAddress): Promise<boolean>
  positions(reader: EvmReader, stake: HeldContract, wallet: EvmAddress): Promise<PositionDraft[]>
  worth(reader: EvmReader, stake: ProtocolContract, shares: bigint): Promise<TokenAmount[]>
}

export const shapes: Readonly<Record<Deployment['shape'], StakeShape>> = {
  silo: siloStakes,
  window: windowStakes,
  plain: plainStakes,
  umbrella: umbrellaStakes,
}
