import type { FailedTransactionMetadata } from 'litesvm'

type InstructionError = string | { Custom: number } | { BorshIoError: string }

/** Node format. */
export type TransactionError =
  | string
  | { InstructionError: [number, InstructionError] }
  | { DuplicateInstruction: number }
  | Record<string, { account_index: number }>

const ERROR = /\berr: (?<name>\w+)(?:\((?<tuple>.*?)\)| \{ account_index: (?<account>\d+) \})?, meta: /s
const INSTRUCTION = /^(?<index>\d+), (?<name>\w+)(?:\((?<custom>\d+)\)?)?/

/** Other errors use their names. */
const SENTENCES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
}

const instructionError = (text: string): TransactionError => {
  const { index, name, custom } = INSTRUCTION.exec(text)?.groups ?? {}
  if (!index || !name) throw new Error(`an instruction's error of an unknown form: ${text}`)
  return { InstructionError: [Number(index), name === 'Custom' ? { Custom: Number(custom) } : name] }
}

/** The machine numbers its errors without names. Its text has the names that nodes use. */
export const readTransactionError = (failure: FailedTransactionMetadata): TransactionError => {
  const { name, tuple, account } = ERROR.exec(failure.toString())?.groups ?? {}
  if (!name) throw new Error(`a failure of an unknown form: ${failure.toString()}`)
  if (name === 'InstructionError') return instructionError(tuple ?? '')
  if (account !== undefined) return { [name]: { account_index: Number(account) } }
  return tuple === undefined ? name : { DuplicateInstruction: Number(tuple) }
}

export const describeTransactionError = (error: TransactionError): string => {
  if (typeof error === 'string') return SENTENCES[error] ?? error
  if (!('InstructionError' in error) || !Array.isArray(error.InstructionError)) return JSON.stringify(error)
  const [index, reason] = error.InstructionError
  const custom = typeof reason === 'object' && 'Custom' in reason ? reason.Custom : null
  const text = custom === null ? JSON.stringify(reason) : `custom program error: 0x${custom.toString(16)}`
  return `Error processing Instruction ${index}: ${text.replaceAll('"', '')}`
}
