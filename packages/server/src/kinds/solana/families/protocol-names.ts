import type { NamedProtocol } from '../../../domain/named-protocol.ts'
import { createSolanaFamilies } from './families.ts'

/** The protocols of Solana, as people see them. */
export const solanaProtocols: readonly NamedProtocol[] = createSolanaFamilies().map(({ key, title, siteUrl }) => ({
  key,
  name: title,
  chain: 'solana',
  siteUrl,
}))
