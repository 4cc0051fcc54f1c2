import type * as legs from '../../legs.ts'
import type { Change } from './changes.ts'

export type Part = legs.Part<Change>
export type Leg = legs.Leg<Change>
export type Remainder = legs.Remainder<Change>
