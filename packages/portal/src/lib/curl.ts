import { looksOf } from '../api/holdings.ts'

/** Returns shell commands that read holdings with the key in `COFFER_KEY`. */
export function curlOf(addresses: readonly string[], origin: string): string {
  return looksOf(addresses)
    .map(({ path, addresses: some }) => {
      return `curl -H "Authorization: Bearer $COFFER_KEY" '${origin}${path}?addresses=${some.join(',')}'`
    })
    .join('\n')
}
