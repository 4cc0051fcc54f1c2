import { type Address, type EncodedAccount, lamports, address as toAddress } from '@solana/kit'
import type { LiteSVM } from 'litesvm'

const SYSVAR_OWNER = toAddress('Sysvar1111111111111111111111111111111111111')

export type SolanaAccount = { lamports: bigint; owner: Address; data: Uint8Array; executable: boolean }
export type ProgramAccount = SolanaAccount & { address: Address }

export type NewAccount = {
  owner: Address
  data: Uint8Array
  /** Default: rent exemption. 0 removes the account. */
  lamports?: bigint
  executable?: boolean
}

export const fromMachine = (account: EncodedAccount): ProgramAccount => ({
  address: account.address,
  lamports: account.lamports,
  owner: account.programAddress,
  data: account.data as Uint8Array,
  executable: account.executable,
})

/** Sorts by bytes: base58 digits are in character order. */
const byAddress = ({ address: one }: ProgramAccount, { address: other }: ProgramAccount): number =>
  one.length - other.length || (one < other ? -1 : 1)

/** An account without lamports does not exist. */
export const createAccounts = (svm: LiteSVM) => {
  /** Cache: the machine copies all of a program's accounts per query. */
  const byProgram = new Map<Address, readonly ProgramAccount[]>()

  return {
    get: (address: Address): SolanaAccount | null => {
      const found = svm.getAccount(address)
      return found.exists && found.lamports > 0n ? fromMachine(found) : null
    },
    ofProgram: (program: Address): readonly ProgramAccount[] => {
      const known = byProgram.get(program)
      if (known) return known
      const found = svm.getProgramAccounts(program).map(fromMachine)
      const living = found.filter((each) => each.lamports > 0n).sort(byAddress)
      byProgram.set(program, living)
      return living
    },
    set: (address: Address, { owner, data, executable = false, ...given }: NewAccount): void => {
      const space = BigInt(data.length)
      const held = lamports(given.lamports ?? svm.minimumBalanceForRentExemption(space))
      svm.setAccount({ address, lamports: held, programAddress: owner, data, executable, space })
      byProgram.clear()
    },
    /** Call after a transaction. */
    changed: (): void => byProgram.clear(),
    /** Call after the clock moved. */
    sysvarsChanged: (): void => {
      byProgram.delete(SYSVAR_OWNER)
    },
  }
}
