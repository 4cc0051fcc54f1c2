/** Schemes of what is asked over HTTP. */
export const WEB: readonly string[] = ['http:', 'https:']

/** True for an absolute URL of one of the schemes that names a host. */
export function isUrl(text: string, schemes = WEB): boolean {
  const url = URL.parse(text)
  return url !== null && schemes.includes(url.protocol) && url.hostname !== '' && !/\s/.test(text)
}
