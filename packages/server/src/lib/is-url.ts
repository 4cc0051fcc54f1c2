/** True for an absolute URL of one of the schemes (`http:`) that names a host. */
export function isUrl(text: string, schemes: readonly string[]): boolean {
  const url = URL.parse(text)
  return url !== null && schemes.includes(url.protocol) && url.hostname !== '' && !/\s/.test(text)
}
