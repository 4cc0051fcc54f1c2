import { looksOf } from '../api/holdings.ts'

/** Returns shell commands that read holdings with the key in `COFFER_KEY`. `date`: of wallets at a past time. */
export function curlOf(addresses: readonly string[], origin: string, date?: string): string {
  const looks = date === undefined ? looksOf(addresses) : [{ path: '/v1/portfolio/at-block', addresses }]
  const end = date === undefined ? '' : `&date=${date}`
  return looks
    .map(({ path, addresses: some }) => {
      return `curl -H "Authorization: Bearer $COFFER_KEY" '${origin}${path}?addresses=${some.join(',')}${end}'`
    })
    .join('\n')
}
