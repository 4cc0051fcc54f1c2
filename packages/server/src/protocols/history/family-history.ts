import type { EvmAddress } from '../../domain/evm-address.ts'

/** What getting an instrument is called; giving it back is the reverse. */
export type Purpose = 'lend' | 'deposit' | 'stake' | 'wrap' | 'liquidity' | 'borrow'

/** How transactions with a family's contracts are understood. Pure; logs may be written by anybody. */
export type FamilyHistory = {
  /** By role of an instrument. Instruments of other roles are tokens like any other. */
  readonly purposes: Readonly<Record<string, Purpose>>
  /** By role: what getting it for the native coin is, where that is none of its underlyings. */
  readonly nativePurposes?: Readonly<Record<string, Purpose>>
  /** Roles whose balances grow without a transfer. */
  readonly rebasing?: readonly string[]
  /** Contracts beside the instruments: who calls them, or is paid by them, deals with the protocol. */
  readonly contracts?: readonly EvmAddress[]
}
