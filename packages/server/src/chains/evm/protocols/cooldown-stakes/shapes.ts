import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldInstrument, Instrument } from '../adapter.ts'
import type { Deployment } from './deployment.ts'
import { siloStakes } from './silo.ts'
import { umbrellaStakes } from './umbrella.ts'
import { plainStakes, windowStakes } from './window.ts'

export type StakeShape = {
  discover(reader: EvmReader, stake: EvmAddress): Promise<Instrument>
  /** For a wallet without shares. */
  probe(reader: EvmReader, stake: Instrument, wallet: EvmAddress): Promise<boolean>
  positions(reader: EvmReader, stake: HeldInstrument, wallet: EvmAddress): Promise<PositionDraft[]>
  worth(reader: EvmReader, stake: Instrument, shares: bigint): Promise<TokenAmount[]>
}

export const shapes: Readonly<Record<Deployment['shape'], StakeShape>> = {
  silo: siloStakes,
  window: windowStakes,
  plain: plainStakes,
  umbrella: umbrellaStakes,
}
