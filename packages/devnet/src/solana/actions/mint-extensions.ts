import type { Address } from '@solana/kit'
import { AccountState, type ExtensionArgs } from '@solana-program/token-2022'

export type MintExtension = (mint: Address, authority: Address) => ExtensionArgs[]

export const mintExtensions = {
  /** `maximumFee` in base units. The receiving account withholds the fee. */
  transferFee:
    ({ basisPoints, maximumFee }: { basisPoints: number; maximumFee: bigint }): MintExtension =>
    (_mint, authority) => {
      const fee = { epoch: 0n, maximumFee, transferFeeBasisPoints: basisPoints }
      return [
        {
          __kind: 'TransferFeeConfig',
          transferFeeConfigAuthority: authority,
          withdrawWithheldAuthority: authority,
          withheldAmount: 0n,
          olderTransferFee: fee,
          newerTransferFee: fee,
        },
      ]
    },
  /** Yearly rate in basis points, compounded continuously. `since`: Unix seconds, for placed mints. */
  interest:
    ({ basisPoints, since = 0n }: { basisPoints: number; since?: bigint }): MintExtension =>
    (_mint, authority) => [
      {
        __kind: 'InterestBearingConfig',
        rateAuthority: authority,
        initializationTimestamp: since,
        preUpdateAverageRate: basisPoints,
        lastUpdateTimestamp: since,
        currentRate: basisPoints,
      },
    ],
  scaled:
    ({ multiplier }: { multiplier: number }): MintExtension =>
    (_mint, authority) => [
      {
        __kind: 'ScaledUiAmountConfig',
        authority,
        multiplier,
        newMultiplierEffectiveTimestamp: 0n,
        newMultiplier: multiplier,
      },
    ],
  /** New accounts need thawing by the freeze authority. */
  defaultFrozen: (): MintExtension => () => [{ __kind: 'DefaultAccountState', state: AccountState.Frozen }],
  nonTransferable: (): MintExtension => () => [{ __kind: 'NonTransferable' }],
  /** The program may refuse transfers. Without a program, the authority may still set one. */
  hook:
    ({ programId }: { programId: Address }): MintExtension =>
    (_mint, authority) => [{ __kind: 'TransferHook', authority, programId }],
  /** May move and burn any owner's tokens. */
  permanentDelegate: (): MintExtension => (_mint, authority) => [{ __kind: 'PermanentDelegate', delegate: authority }],
  pausable: (): MintExtension => (_mint, authority) => [{ __kind: 'PausableConfig', authority, paused: false }],
  /** Stored in the mint itself. */
  metadata:
    ({ name, symbol, uri }: { name: string; symbol: string; uri: string }): MintExtension =>
    (mint, authority) => [
      { __kind: 'MetadataPointer', authority, metadataAddress: mint },
      { __kind: 'TokenMetadata', updateAuthority: authority, mint, name, symbol, uri, additionalMetadata: new Map() },
    ],
}
