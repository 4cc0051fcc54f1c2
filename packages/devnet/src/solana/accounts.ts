import { type Address, type EncodedAccount, lamports, address as toAddress } from '@solana/kit'
import type { LiteSVM } from 'litesvm'

const SYSVAR_OWNER = toAddress('Sysvar1111111111111111111111111111111111111')

export type SolanaAccount = { lamports: bigint; owner: Address; data: Uint8Array; executable: boolean }
export type ProgramAccount = SolanaAccount & { address: Address }

export type NewAccount = {
  owner: Address
  data: Uint8Array
  /** What an account of its size has to hold unless told; none removes it. */
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

/** The order of the bytes: base58 has its digits in the order of their characters. */
const byAddress = ({ address: one }: ProgramAccount, { address: other }: ProgramAccount): number =>
  one.length - other.length || (one < other ? -1 : 1)

/** The machine's accounts. One without lamports does not exist. */
export const createAccounts = (svm: LiteSVM) => {
  /** The machine copies all of a program's accounts for each question; the copies serve until something changes. */
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
    /** Has to be called when the machine ran a transaction. */
    changed: (): void => byProgram.clear(),
    /** Has to be called when the clock moved. */
    sysvarsChanged: (): void => {
      byProgram.delete(SYSVAR_OWNER)
    },
  }
}
