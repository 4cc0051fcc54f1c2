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

export type Token = { mint: Address; program: Address; decimals: number; authority: KeyPairSigner }

export type MintOptions = {
  decimals: number
  /** Any list, even an empty one, makes a Token-2022 mint. */
  extensions?: readonly MintExtension[]
}

const programOf = ({ extensions }: MintOptions): Address =>
  extensions ? TOKEN_2022_PROGRAM_ADDRESS : TOKEN_PROGRAM_ADDRESS

const resolve = (mint: Address, authority: Address, { extensions }: MintOptions): ExtensionArgs[] | undefined =>
  extensions?.flatMap((extension) => extension(mint, authority))

/** Written after the mint exists: paid for at the start but not allocated. */
const isWrittenLater = ({ __kind }: ExtensionArgs): boolean => __kind === 'TokenMetadata'

/** Both token programs take the same instructions. */
export const mintActions = (chain: SolanaChain, send: Send, payer: KeyPairSigner, authority: KeyPairSigner) => ({
  /** Creates a mint with the real program. */
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
  /** Writes a mint at any address. Real transactions mint from it. */
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
  /** Permanent. Frozen accounts stay frozen. */
  giveUpFreezing: ({ mint, program, authority: owner }: Token) => {
    const authorityType = AuthorityType.FreezeAccount
    const given = { owned: mint, owner, authorityType, newAuthority: null }
    return send([getSetAuthorityInstruction(given, { programAddress: program })])
  },
  /** A split from `since` on (Unix seconds). */
  scale: ({ mint, authority: owner }: Token, multiplier: number, since: bigint) =>
    send([
      getUpdateMultiplierScaledUiMintInstruction({ mint, authority: owner, multiplier, effectiveTimestamp: since }),
    ]),
})
