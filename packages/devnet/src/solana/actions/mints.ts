import type { Address, KeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import {
  AuthorityType,
  type ExtensionArgs,
  getInitializeMint2Instruction,
  getMintEncoder,
  getMintSize,
  getPostInitializeInstructionsForMintExtensions,
  getPreInitializeInstructionsForMintExtensions,
  getSetAuthorityInstruction,
  getUpdateMultiplierScaledUiMintInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022'
import type { SolanaChain } from '../chain.ts'
import type { Send } from '../send.ts'
import type { MintExtension } from './mint-extensions.ts'

/** A token that the local chain may mint and freeze. */
export type Token = { mint: Address; program: Address; decimals: number; authority: KeyPairSigner }

export type MintOptions = {
  decimals: number
  /** What a Token-2022 mint has beside the usual; with any given, even none, the mint is one of Token-2022. */
  extensions?: readonly MintExtension[]
}

const programOf = ({ extensions }: MintOptions): Address =>
  extensions ? TOKEN_2022_PROGRAM_ADDRESS : TOKEN_PROGRAM_ADDRESS

const resolve = (mint: Address, authority: Address, { extensions }: MintOptions): ExtensionArgs[] | undefined =>
  extensions?.flatMap((extension) => extension(mint, authority))

/** Written behind the mint once it is there: its bytes are paid for at the start but not allocated. */
const isWrittenLater = ({ __kind }: ExtensionArgs): boolean => __kind === 'TokenMetadata'

/** New tokens. Both token programs take the same instructions, each at its own address. */
export const mintActions = (chain: SolanaChain, send: Send, payer: KeyPairSigner, authority: KeyPairSigner) => ({
  /** A mint that the real program made, at the address of the given key pair. */
  create: async (mint: KeyPairSigner, options: MintOptions): Promise<Token> => {
    const program = programOf(options)
    const extensions = resolve(mint.address, authority.address, options)
    const early = extensions?.filter((each) => !isWrittenLater(each))
    const { decimals } = options
    await send([
      getCreateAccountInstruction({
        payer,
        newAccount: mint,
        lamports: chain.rentExemption(BigInt(getMintSize(extensions))),
        space: getMintSize(early?.length === 0 ? undefined : early),
        programAddress: program,
      }),
      ...getPreInitializeInstructionsForMintExtensions(mint.address, extensions ?? []),
      getInitializeMint2Instruction(
        { mint: mint.address, decimals, mintAuthority: authority.address, freezeAuthority: authority.address },
        { programAddress: program },
      ),
      ...getPostInitializeInstructionsForMintExtensions(mint.address, authority, extensions ?? []),
    ])
    return { mint: mint.address, program, decimals, authority }
  },
  /** A mint put in place at any address, such as a token's real one; real transactions mint from it. */
  place: (mint: Address, options: MintOptions): Token => {
    const program = programOf(options)
    const extensions = resolve(mint, authority.address, options)
    const data = getMintEncoder().encode({
      mintAuthority: authority.address,
      supply: 0n,
      decimals: options.decimals,
      isInitialized: true,
      freezeAuthority: authority.address,
      extensions: extensions && extensions.length > 0 ? extensions : null,
    })
    chain.setAccount(mint, { owner: program, data: Uint8Array.from(data) })
    return { mint, program, decimals: options.decimals, authority }
  },
  /** Gives up the freeze authority for ever; accounts that are frozen stay so. */
  giveUpFreezing: ({ mint, program, authority: owner }: Token) => {
    const authorityType = AuthorityType.FreezeAccount
    const given = { owned: mint, owner, authorityType, newAuthority: null }
    return send([getSetAuthorityInstruction(given, { programAddress: program })])
  },
  /** Shows amounts times another factor from `since` on (Unix seconds): a split. */
  scale: ({ mint, authority: owner }: Token, multiplier: number, since: bigint) =>
    send([
      getUpdateMultiplierScaledUiMintInstruction({ mint, authority: owner, multiplier, effectiveTimestamp: since }),
    ]),
})
