/** Far above any key's length, and short enough that nothing is spent on a hostile one. */
const longestHeader = 512
const form = /^bearer +([0-9a-z_]+)$/i

/**
 * The token of an `Authorization` header, or undefined where it is anything but `Bearer`, one space or more (RFC 9110, 11.4)
 * and a token. Needs a server that joins repeated headers with a comma (`joinDuplicateHeaders`): then two headers are no token either.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > longestHeader) return undefined
  return form.exec(authorization)?.[1]
}
