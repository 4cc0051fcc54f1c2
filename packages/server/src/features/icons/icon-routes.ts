import type { Icons } from './icons.ts'

/** Icons never change under their name. The policy keeps an opened icon from running scripts. */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}

type Params = Readonly<Record<string, string>>

function iconRoute(path: `/icons/${string}`, find: (name: string, params: Params) => string | undefined) {
  return {
    path,
    small: true,
    read(params: Params) {
      const name = /^(.+)\.svg$/su.exec(params['file'] ?? '')?.[1]
      const body = name === undefined ? undefined : find(name, params)
      return body === undefined ? undefined : { contentType: 'image/svg+xml; charset=utf-8', body, headers: HEADERS }
    },
  }
}

/** Served without a key. */
export function iconRoutes(icons: Icons) {
  return [
    iconRoute('/icons/chains/:file', icons.chain),
    iconRoute('/icons/tokens/:chain/:file', (address, params) => icons.token(params['chain'] ?? '', address)),
    iconRoute('/icons/symbols/:file', icons.symbol),
    iconRoute('/icons/protocols/:file', icons.protocol),
    iconRoute('/icons/letters/:file', icons.letter),
  ]
}
