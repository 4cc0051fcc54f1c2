/** Characters. Bounds the work on hostile headers. */
const longestHeader = 512
const form = /^bearer +([0-9a-z_]+)$/i

/** RFC 9110, 11.4. Requires `joinDuplicateHeaders`, so that repeated headers match nothing. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > longestHeader) return undefined
  return form.exec(authorization)?.[1]
}
