import { looksOf } from '../api/holdings.ts'

/** The calls that tell what addresses hold, for a shell in which `COFFER_KEY` is a key. */
export function curlOf(addresses: readonly string[], origin: string): string {
  return looksOf(addresses)
    .map(({ path, addresses: some }) => {
      return `curl -H "Authorization: Bearer $COFFER_KEY" '${origin}${path}?addresses=${some.join(',')}'`
    })
    .join('\n')
}
