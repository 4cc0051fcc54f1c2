/** Codes of JSON-RPC and Solana's nodes. */
const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  preflightFailure: -32002,
  signatureVerification: -32003,
  blockNotAvailable: -32004,
  excludedFromIndex: -32010,
  unsupportedVersion: -32015,
  minContextSlot: -32016,
} as const

export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(kind: keyof typeof CODES, message: string, data?: unknown) {
    super(message)
    this.code = CODES[kind]
    this.data = data
  }
}

export const invalidParams = (message: string): RpcError => new RpcError('invalidParams', message)
