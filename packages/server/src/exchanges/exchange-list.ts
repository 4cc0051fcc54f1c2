import { readAsset } from '../lib/asset.ts'
import type { CredentialName } from './exchange.ts'

/** An exchange that can be read, as ccxt describes it. */
export type ExchangeRow = { key: string; name: string; needs: readonly CredentialName[] }

/** Every exchange that can be read, sorted by key: generated, as asking ccxt itself costs two seconds and 100 MB. */
export const exchangeRows = JSON.parse(readAsset('exchanges.json')) as readonly ExchangeRow[]
