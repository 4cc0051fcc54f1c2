import ccxt, { type Exchange } from 'ccxt'
import { type CredentialName, credentialNames } from '../src/exchanges/exchange.ts'

function isCredential(name: string): name is CredentialName {
  return credentialNames.some((known) => known === name)
}

/** Returns nothing if a credential is not an API key's, such as a wallet's private key. */
function needsOf(exchange: Exchange): CredentialName[] | undefined {
  const required = Object.entries(exchange.requiredCredentials).filter(([, isRequired]) => isRequired)
  const names = required.map(([name]) => name).filter(isCredential)
  return names.length === required.length ? names : undefined
}

/** Exchanges of ccxt whose accounts an API key can read. Omits those on a chain and those without balances. */
export function gatherExchanges(): string {
  const rows = ccxt.exchanges.flatMap((key) => {
    const { [key]: Client } = ccxt as unknown as Record<string, new () => Exchange>
    if (!Client) return []
    const exchange = new Client()
    const needs = needsOf(exchange)
    const isReadable = exchange.has['fetchBalance'] === true && exchange['dex'] !== true
    return needs && needs.length > 0 && isReadable ? [{ key, name: exchange.name, needs }] : []
  })
  return `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`
}
