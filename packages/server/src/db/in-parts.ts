/** Rows of a statement, so that it ends within its limit. */
const AT_ONCE = 1_000

/** Repeats a statement that changes at most `limit` rows until it finds fewer. */
export async function inParts(change: (limit: number) => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
  for (let changed = AT_ONCE; changed >= AT_ONCE; ) {
    const { numAffectedRows = 0n } = await change(AT_ONCE)
    changed = Number(numAffectedRows)
  }
}
