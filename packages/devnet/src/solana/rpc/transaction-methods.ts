import { type Address, getBase58Encoder } from '@solana/kit'
import type { Simulation, SolanaChain } from '../chain.ts'
import { describeTransactionError } from '../transaction-error.ts'
import { readWireTransaction, type WireTransaction } from '../wire-transaction.ts'
import { encodeAccount } from './account-encoding.ts'
import { encodeInner, encodeReturned } from './execution-encoding.ts'
import { inContext, type Methods } from './method.ts'
import { type Config, configOf, list, optional, text, toAddress, u64 } from './params.ts'
import { invalidParams, RpcError } from './rpc-error.ts'

export type Airdrop = (address: Address, lamports: bigint) => Promise<string>

/** Packet size of the network. */
const MAX_WIRE_BYTES = 1232
const MAX_STATUSES = 256

const decode = (encoded: string, encoding: string): Uint8Array => {
  if (encoding === 'base64') return new Uint8Array(Buffer.from(encoded, 'base64'))
  if (encoding !== 'base58')
    throw invalidParams(`unsupported encoding: ${encoding}. Supported encodings: base58, base64`)
  try {
    return Uint8Array.from(getBase58Encoder().encode(encoded))
  } catch {
    throw invalidParams('invalid base58 encoding')
  }
}

const readTransaction = (given: unknown, config: Config): WireTransaction => {
  const wire = decode(text(given), optional(config['encoding'], text) ?? 'base58')
  if (wire.length > MAX_WIRE_BYTES)
    throw invalidParams(`decoded solana_transaction too large: ${wire.length} bytes (max: ${MAX_WIRE_BYTES} bytes)`)
  try {
    return readWireTransaction(wire)
  } catch {
    throw invalidParams('failed to deserialize solana_transaction')
  }
}

const encodeSimulation = (simulation: Simulation, config: Config) => {
  const wanted = optional(config['accounts'], (given) => configOf([given], 0))
  const addresses = wanted ? list(wanted['addresses'] ?? []).map(toAddress) : []
  const accounts = addresses.map((address) => {
    const account = simulation.accountAfter(address)
    return account && encodeAccount(account, wanted ?? {}, 'base64')
  })
  return {
    err: simulation.error,
    logs: simulation.logs,
    accounts: wanted ? accounts : null,
    unitsConsumed: simulation.computeUnits,
    returnData: encodeReturned(simulation.returned),
    innerInstructions: config['innerInstructions'] === true ? encodeInner(simulation.inner) : null,
    replacementBlockhash: null,
  }
}

/** Refuses failing transactions, as nodes do before forwarding. */
const preflight = (chain: SolanaChain, sent: WireTransaction): void => {
  const simulation = chain.simulate(sent, { signatures: true, blockhash: true })
  if (simulation.error === null) return
  if (simulation.error === 'SignatureFailure')
    throw new RpcError('signatureVerification', 'Transaction signature verification failure')
  const message = `Transaction simulation failed: ${describeTransactionError(simulation.error)}`
  throw new RpcError('preflightFailure', message, encodeSimulation(simulation, {}))
}

const statusOf = (chain: SolanaChain, signature: string) => {
  const landed = chain.transactions.get(signature)
  if (!landed) return null
  return {
    slot: landed.slot,
    confirmations: null,
    err: landed.error,
    status: landed.error === null ? { Ok: null } : { Err: landed.error },
    confirmationStatus: 'finalized',
  }
}

/** Blocks are final at once. */
export const transactionMethods = (chain: SolanaChain, airdrop: Airdrop): Methods => ({
  sendTransaction: {
    configAt: 1,
    run: ([given], config) => {
      const sent = readTransaction(given, config)
      if (config['skipPreflight'] !== true) preflight(chain, sent)
      chain.execute(sent)
      return sent.signature
    },
  },
  simulateTransaction: {
    configAt: 1,
    run: ([given], config) => {
      const blockhash = config['replaceRecentBlockhash'] !== true
      const checks = { signatures: config['sigVerify'] === true, blockhash }
      const simulation = chain.simulate(readTransaction(given, config), checks)
      return inContext(chain.slot(), encodeSimulation(simulation, config))
    },
  },
  requestAirdrop: { run: ([key, lamports]) => airdrop(toAddress(key), u64(lamports)) },
  getSignatureStatuses: {
    run: ([given]) => {
      const signatures = list(given)
      if (signatures.length > MAX_STATUSES) throw invalidParams(`Too many inputs provided; max ${MAX_STATUSES}`)
      return inContext(
        chain.slot(),
        signatures.map((signature) => statusOf(chain, text(signature))),
      )
    },
  },
})
