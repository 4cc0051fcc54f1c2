import { type Address, type EncodedAccount, lamports } from '@solana/kit'
import type { LiteSVM } from 'litesvm'

export type SolanaAccount = { lamports: bigint; owner: Address; data: Uint8Array; executable: boolean }
export type ProgramAccount = SolanaAccount & { address: Address }

export type NewAccount = {
  owner: Address
  data: Uint8Array
  /** What an account of its size has to hold unless told. */
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
      const living = found.filter((each) => each.lamports > 0n)
      byProgram.set(program, living)
      return living
    },
    set: (address: Address, { owner, data, executable = false, ...given }: NewAccount): void => {
      const space = BigInt(data.length)
      const held = lamports(given.lamports ?? svm.minimumBalanceForRentExemption(space))
      svm.setAccount({ address, lamports: held, programAddress: owner, data, executable, space })
      byProgram.clear()
    },
    /** Has to be called when the machine ran anything. */
    changed: (): void => byProgram.clear(),
  }
}
