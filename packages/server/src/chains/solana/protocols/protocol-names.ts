import type { NamedProtocol } from '../../../domain/named-protocol.ts'
import { createSolanaFamilies } from './protocols.ts'

export const solanaProtocols: readonly NamedProtocol[] = createSolanaFamilies().map(({ key, title, siteUrl }) => ({
  key,
  name: title,
  chain: 'solana',
  siteUrl,
}))
