import type { NamedProtocol } from '../../../domain/named-protocol.ts'
import { createSolanaAdapters } from './protocols.ts'

export const solanaProtocols: readonly NamedProtocol[] = createSolanaAdapters().map(({ key, title, siteUrl }) => ({
  key,
  name: title,
  chain: 'solana',
  siteUrl,
}))
