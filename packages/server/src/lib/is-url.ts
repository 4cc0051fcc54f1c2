export const WEB: readonly string[] = ['http:', 'https:']

/** Requires a host. */
export function isUrl(text: string, schemes = WEB): boolean {
  const url = URL.parse(text)
  return url !== null && schemes.includes(url.protocol) && url.hostname !== '' && !/\s/.test(text)
}
