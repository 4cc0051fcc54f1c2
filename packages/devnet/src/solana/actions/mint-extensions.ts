import type { Address } from '@solana/kit'
import { AccountState, type ExtensionArgs } from '@solana-program/token-2022'

/** What a Token-2022 mint has beside the usual, once its address and the one who may change it are known. */
export type MintExtension = (mint: Address, authority: Address) => ExtensionArgs[]

/** The kinds of mint that show another amount than the one stored, or say what they are called. */
export const mintExtensions = {
  /** Keeps a part of each transfer, at most `maximumFee` base units, in the receiving account. */
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
  /** Shows amounts grown by a yearly rate in basis points, compounded without a pause. `since`: Unix seconds, for placed mints. */
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
  /** Shows amounts times a factor. */
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
  /** New accounts are frozen until the freeze authority thaws them. */
  defaultFrozen: (): MintExtension => () => [{ __kind: 'DefaultAccountState', state: AccountState.Frozen }],
  nonTransferable: (): MintExtension => () => [{ __kind: 'NonTransferable' }],
  /** Each transfer calls the program, which may refuse it. Without a program, the authority may still name one. */
  hook:
    ({ programId }: { programId: Address }): MintExtension =>
    (_mint, authority) => [{ __kind: 'TransferHook', authority, programId }],
  /** Its authority may move and burn the tokens of any owner. */
  permanentDelegate: (): MintExtension => (_mint, authority) => [{ __kind: 'PermanentDelegate', delegate: authority }],
  pausable: (): MintExtension => (_mint, authority) => [{ __kind: 'PausableConfig', authority, paused: false }],
  /** Name, symbol and address of a description, in the mint itself. */
  metadata:
    ({ name, symbol, uri }: { name: string; symbol: string; uri: string }): MintExtension =>
    (mint, authority) => [
      { __kind: 'MetadataPointer', authority, metadataAddress: mint },
      { __kind: 'TokenMetadata', updateAuthority: authority, mint, name, symbol, uri, additionalMetadata: new Map() },
    ],
}
