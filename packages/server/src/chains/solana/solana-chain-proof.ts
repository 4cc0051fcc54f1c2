import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Chain } from '../chain.ts'
import type { ChainProof } from '../rpc/endpoint-proofs.ts'
import type { RpcRequest } from '../rpc/json-rpc.ts'

const genesisHashRequest: RpcRequest<string> = {
  method: 'getGenesisHash',
  params: [],
  parse(result) {
    if (typeof result === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(result)) return result
    throw new UpstreamError('invalid', 'expected a hash')
  },
}

/** A local cluster has its own genesis hash. */
export function createSolanaChainProof({ genesis, isLocal }: Pick<Chain, 'genesis' | 'isLocal'>): ChainProof {
  return {
    async findMismatch(endpoint) {
      if (isLocal || genesis === null) return undefined
      const shown = await endpoint.request(genesisHashRequest)
      return shown === genesis ? undefined : `it shows genesis hash ${shown}, expected ${genesis}`
    },
  }
}
