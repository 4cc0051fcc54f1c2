import { readAsset } from '../lib/asset.ts'
import type { CredentialName } from './exchange.ts'

export type ExchangeRow = { key: string; name: string; needs: readonly CredentialName[] }

/** Sorted by key. Generated: asking ccxt costs two seconds and 100 MB. */
export const exchangeRows = JSON.parse(readAsset('exchanges.json')) as readonly ExchangeRow[]
