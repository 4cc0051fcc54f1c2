import { z } from 'zod'
import type { Chain } from '../chains/chain.ts'
import type { OwnLabel } from '../chains/settings.ts'
import { ConfigError } from './config-error.ts'
import { pathText } from './config-file.ts'

const VARIABLE = 'COFFER_LABELS'
const NAMESPACE = 'eip155:'

/** Open Labels Initiative (github.com/openlabelsinitiative/OLI); `chain_id` by CAIP-2. */
const labelFile = z.array(
  z.object({
    chain_id: z.string().regex(/^eip155:(\d+|any)$/, 'must be eip155: and a chain id'),
    address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits'),
    tags: z.object({
      owner_project: z
        .string()
        .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be a project as the Open Labels Initiative names it, like uniswap')
        .optional(),
      usage_category: z.string().optional(),
      is_eoa: z.boolean().optional(),
    }),
  }),
)

/** Keeps a contract's last label. Ignores labels without project or code. */
export function parseLabelFile(text: string, chains: readonly Chain[]): readonly OwnLabel[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ConfigError(VARIABLE, 'is not JSON')
  }
  const result = labelFile.safeParse(json)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new ConfigError(VARIABLE, `${pathText(issue?.path ?? []) || 'the file'}: ${issue?.message}`)
  }
  const keys = new Map(chains.map(({ chainId, key }) => [`${NAMESPACE}${chainId}`, key]))
  return result.data.flatMap(({ chain_id, address, tags: { owner_project, usage_category = 'other', is_eoa } }) => {
    const chain = keys.get(chain_id)
    if (chain === undefined || owner_project === undefined || is_eoa === true) return []
    return [{ chain, address: address.toLowerCase(), protocol: owner_project, category: usage_category }]
  })
}
